/// Reads JSON text token by token and refuses what is none, after RFC 8259 to the letter.
///
/// It looks at bytes and never at numbers' values, so that `1.10`, `-0` and twenty digits stay what they are.
/// Nesting is kept in an array, not on the stack: a body of a million brackets is an error like any other.
struct JSONReader {
    enum Token: Equatable {
        case beginObject, endObject, beginArray, endArray
        /// A member's name, with its quotation marks.
        case key(Range<Int>)
        /// With its quotation marks.
        case string(Range<Int>)
        case number(Range<Int>)
        /// `true`, `false` or `null`.
        case literal(Range<Int>)
    }

    /// There is no JSON from `offset` on.
    struct Fault: Error, Equatable {
        let offset: Int
        let reason: String
    }

    private enum Expectation {
        case value
        case valueOrEnd
        case keyOrEnd
        case separatorOrEnd
        case end
    }

    /// Deeper text is refused: indented by four, it would be wider than any terminal long before.
    static let depthLimit = 1000

    let bytes: [UInt8]
    private(set) var depth = 0
    /// Where the last token ended; behind the colon for a key.
    private(set) var position = 0
    private var isObject: [Bool] = []
    private var expectation = Expectation.value

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next token; `nil` once the one value of the text has ended and nothing but white space follows.
    mutating func next() throws(Fault) -> Token? {
        skipWhiteSpace()
        if expectation == .separatorOrEnd {
            guard let byte = current else { throw fault("the text ends before its brackets are closed") }
            guard byte == UInt8(ascii: ",") else {
                return try close(byte)
            }
            position += 1
            expectation = isObject.last == true ? .keyOrEnd : .value
            skipWhiteSpace()
            if isObject.last == true { return try key() }
        }
        switch expectation {
        case .end:
            guard position == bytes.count else { throw fault("there is something behind the end") }
            return nil
        case .keyOrEnd:
            if current == UInt8(ascii: "}") { return try close(UInt8(ascii: "}")) }
            return try key()
        case .valueOrEnd:
            if current == UInt8(ascii: "]") { return try close(UInt8(ascii: "]")) }
            return try value()
        case .value, .separatorOrEnd:
            return try value()
        }
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func fault(_ reason: String) -> Fault { Fault(offset: position, reason: reason) }

    private mutating func skipWhiteSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func key() throws(Fault) -> Token {
        guard current == UInt8(ascii: "\"") else { throw fault("a name in quotation marks is missing") }
        let range = try string()
        skipWhiteSpace()
        guard current == UInt8(ascii: ":") else { throw fault("a colon is missing behind a name") }
        position += 1
        expectation = .value
        return .key(range)
    }

    private mutating func value() throws(Fault) -> Token {
        guard let byte = current else { throw fault("a value is missing") }
        switch byte {
        case UInt8(ascii: "{"):
            try open(isObject: true)
            return .beginObject
        case UInt8(ascii: "["):
            try open(isObject: false)
            return .beginArray
        case UInt8(ascii: "\""):
            let range = try string()
            endValue()
            return .string(range)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let range = try number()
            endValue()
            return .number(range)
        default:
            let range = try literal()
            endValue()
            return .literal(range)
        }
    }

    private mutating func open(isObject: Bool) throws(Fault) {
        guard depth < Self.depthLimit else { throw fault("it is nested too deep") }
        self.isObject.append(isObject)
        depth += 1
        position += 1
        expectation = isObject ? .keyOrEnd : .valueOrEnd
    }

    private mutating func close(_ byte: UInt8) throws(Fault) -> Token {
        let closesObject = isObject.last == true
        guard byte == (closesObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
            throw fault("a comma or a closing bracket is missing")
        }
        position += 1
        isObject.removeLast()
        depth -= 1
        endValue()
        return closesObject ? .endObject : .endArray
    }

    private mutating func endValue() {
        expectation = depth == 0 ? .end : .separatorOrEnd
    }

    private mutating func literal() throws(Fault) -> Range<Int> {
        for word in ["true", "false", "null"] where bytes[position...].starts(with: word.utf8) {
            let start = position
            position += word.utf8.count
            return start..<position
        }
        throw fault("a value is missing")
    }
}

extension JSONReader {
    private mutating func string() throws(Fault) -> Range<Int> {
        let start = position
        position += 1
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return start..<position
            case UInt8(ascii: "\\"): try escape()
            case 0x00..<0x20:
                position -= 1
                throw fault("a control character stands in a string")
            default: break
            }
        }
        throw fault("a string has no end")
    }

    private mutating func escape() throws(Fault) {
        guard let byte = current else { throw fault("a string has no end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            break
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                guard let digit = current, JSONEscape.value(ofDigit: digit) != nil else {
                    throw fault("four hexadecimal digits are missing behind \\u")
                }
                position += 1
            }
        default:
            position -= 1
            throw fault("there is no such escape")
        }
    }

    private mutating func number() throws(Fault) -> Range<Int> {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if current == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return start..<position
    }

    private mutating func digits() throws(Fault) {
        guard let first = current, isDigit(first) else { throw fault("a digit is missing") }
        while let byte = current, isDigit(byte) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
