/// Reads JSON text token by token and rejects invalid text, strictly by RFC 8259.
///
/// It never interprets numbers, so `1.10`, `-0` and twenty digits keep their text. It does not store the bytes: the
/// same text must be passed to every call. Nesting is stored in an array, not on the stack, so a body of a million
/// brackets is an ordinary error. It does not check that strings are UTF-8.
package struct JSONReader {
    package enum Token: Equatable {
        case beginObject, endObject, beginArray, endArray
        /// The name of a member, including its quotation marks.
        case key(Range<Int>)
        /// A string, including its quotation marks.
        case string(Range<Int>)
        case number(Range<Int>)
        /// `true`, `false` or `null`.
        case literal(Range<Int>)
    }

    /// The text is not valid JSON from `offset` on.
    package struct Fault: Error, Equatable {
        package let offset: Int
        package let reason: String

        package init(offset: Int, reason: String) {
            self.offset = offset
            self.reason = reason
        }
    }

    /// Traits of a text in quotation marks.
    struct TextTraits: OptionSet {
        let rawValue: UInt8

        static let hasEscapes = TextTraits(rawValue: 1)
        static let isASCII = TextTraits(rawValue: 2)
    }

    private enum Expectation {
        case value
        case valueOrEnd
        case keyOrEnd
        case separatorOrEnd
        case end
    }

    package private(set) var depth = 0
    /// The end of the last token. For a key, the position after its colon.
    package private(set) var position: Int
    /// The traits of the last key or string.
    private(set) var traits: TextTraits = []
    private let depthLimit: Int
    private var isObject: [Bool] = []
    private var expectation = Expectation.value

    /// - Parameters:
    ///   - position: The start of the text. Default: 0.
    ///   - depthLimit: The maximum number of open brackets. More are a fault.
    package init(at position: Int = 0, depthLimit: Int) {
        self.position = position
        self.depthLimit = depthLimit
    }

    /// Returns the start of the text, after a byte order mark.
    static func start(of bytes: UnsafeRawBufferPointer) -> Int {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Returns the next token, or `nil` after the root value, when only white space follows.
    package mutating func next(in bytes: UnsafeRawBufferPointer) throws(Fault) -> Token? {
        skipWhiteSpace(bytes)
        if expectation == .separatorOrEnd {
            guard position < bytes.count else { throw fault("the text ends before its brackets are closed") }
            guard bytes[position] == UInt8(ascii: ",") else { return try close(bytes) }
            position += 1
            skipWhiteSpace(bytes)
            return isObject.last == true ? try key(bytes) : try value(bytes)
        }
        switch expectation {
        case .end:
            guard position == bytes.count else { throw fault("there is text after the end") }
            return nil
        case .keyOrEnd:
            return isNext(UInt8(ascii: "}"), bytes) ? try close(bytes) : try key(bytes)
        case .valueOrEnd:
            return isNext(UInt8(ascii: "]"), bytes) ? try close(bytes) : try value(bytes)
        case .value, .separatorOrEnd:
            return try value(bytes)
        }
    }

    /// Returns the next token of a text in an array.
    package mutating func next(in text: [UInt8]) throws(Fault) -> Token? {
        try text.withUnsafeBytes { bytes in
            Result { () throws(Fault) in try next(in: bytes) }
        }.get()
    }

    @inline(__always)
    private func isNext(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer) -> Bool {
        position < bytes.count && bytes[position] == byte
    }

    private func fault(_ reason: String) -> Fault { Fault(offset: position, reason: reason) }

    @inline(__always)
    private mutating func skipWhiteSpace(_ bytes: UnsafeRawBufferPointer) {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    private mutating func key(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Token {
        guard isNext(UInt8(ascii: "\""), bytes) else { throw fault("a name in quotation marks is missing") }
        let range = try string(bytes)
        skipWhiteSpace(bytes)
        guard isNext(UInt8(ascii: ":"), bytes) else { throw fault("a colon is missing after a name") }
        position += 1
        expectation = .value
        return .key(range)
    }

    private mutating func value(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Token {
        guard position < bytes.count else { throw fault("a value is missing") }
        switch bytes[position] {
        case UInt8(ascii: "{"):
            try open(isObject: true)
            return .beginObject
        case UInt8(ascii: "["):
            try open(isObject: false)
            return .beginArray
        case UInt8(ascii: "\""):
            let range = try string(bytes)
            endValue()
            return .string(range)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let range = try number(bytes)
            endValue()
            return .number(range)
        default:
            let range = try literal(bytes)
            endValue()
            return .literal(range)
        }
    }

    private mutating func open(isObject: Bool) throws(Fault) {
        guard depth < depthLimit else { throw fault("it is nested more than \(depthLimit) levels deep") }
        self.isObject.append(isObject)
        depth += 1
        position += 1
        expectation = isObject ? .keyOrEnd : .valueOrEnd
    }

    private mutating func close(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Token {
        let closesObject = isObject.last == true
        guard isNext(closesObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), bytes) else {
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
}

extension JSONReader {
    private mutating func literal(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Range<Int> {
        let word: StaticString =
            switch bytes[position] {
            case UInt8(ascii: "t"): "true"
            case UInt8(ascii: "f"): "false"
            default: "null"
            }
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count,
            (0..<word.utf8CodeUnitCount).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
        else { throw fault("a value is missing") }
        defer { position = end }
        return position..<end
    }

    private mutating func string(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Range<Int> {
        let start = position
        position += 1
        traits = []
        var seen: UInt64 = 0
        defer { if seen & JSONEscape.highs == 0 { traits.insert(.isASCII) } }
        while true {
            skipPlain(bytes, &seen)
            guard position < bytes.count else { throw fault("a string is not closed") }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return start..<position
            case UInt8(ascii: "\\"):
                position += 1
                try escape(bytes)
            default:
                throw fault("a string contains a control character")
            }
        }
    }

    /// Advances to the next quotation mark, backslash or control character, eight bytes at a time.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - seen: Receives the bitwise OR of the skipped bytes.
    @inline(__always)
    private mutating func skipPlain(_ bytes: UnsafeRawBufferPointer, _ seen: inout UInt64) {
        var index = position
        while index &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let marks = JSONEscape.marks(in: word)
            guard marks == 0 else {
                seen |= word & ((marks & (0 &- marks)) &- 1)
                position = index &+ marks.trailingZeroBitCount &>> 3
                return
            }
            seen |= word
            index &+= 8
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C { break }
            seen |= UInt64(byte)
            index &+= 1
        }
        position = index
    }

    private mutating func escape(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
        traits.insert(.hasEscapes)
        guard position < bytes.count else { throw fault("a string is not closed") }
        switch bytes[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            for _ in 0..<4 {
                guard position < bytes.count, bytes[position].hexadecimalValue != nil else {
                    throw fault("four hexadecimal digits are missing after \\u")
                }
                position += 1
            }
        default:
            throw fault("an escape is unknown")
        }
    }

    private mutating func number(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Range<Int> {
        let start = position
        if isNext(UInt8(ascii: "-"), bytes) { position += 1 }
        if isNext(UInt8(ascii: "0"), bytes) { position += 1 } else { try digits(bytes) }
        if isNext(UInt8(ascii: "."), bytes) {
            position += 1
            try digits(bytes)
        }
        if isNext(UInt8(ascii: "e"), bytes) || isNext(UInt8(ascii: "E"), bytes) {
            position += 1
            if isNext(UInt8(ascii: "+"), bytes) || isNext(UInt8(ascii: "-"), bytes) { position += 1 }
            try digits(bytes)
        }
        return start..<position
    }

    private mutating func digits(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
        let start = position
        while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
        guard position > start else { throw fault("a digit is missing") }
    }
}
