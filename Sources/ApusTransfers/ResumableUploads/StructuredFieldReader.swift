/// Reads the values of structured fields, RFC 9651 §4.2, as far as resumable uploads need them: integers and booleans.
/// Values of other types are checked and skipped.
///
/// A value that is longer than 4 KiB counts as invalid.
///
/// See https://www.rfc-editor.org/rfc/rfc9651.html#section-4.2
struct StructuredFieldReader {
    /// A value without its parameters.
    enum Value: Hashable, Sendable {
        case integer(Int64)
        case boolean(Bool)
        /// A decimal, a string, a token, a byte sequence, a date, a display string or an inner list.
        case other
    }

    /// The maximum length of a field value in bytes: 4 KiB.
    static let limitBytes = 4096

    private var rest: ArraySlice<UInt8>

    private init?(_ text: String) {
        guard text.utf8.count <= Self.limitBytes else { return nil }
        rest = Array(text.utf8)[...]
    }

    /// Returns the value of an item. `nil` if it is invalid.
    static func item(_ text: String) -> Value? {
        guard var reader = Self(text) else { return nil }
        reader.skip(" ")
        guard let value = reader.valueOfItem() else { return nil }
        reader.skip(" ")
        return reader.rest.isEmpty ? value : nil
    }

    /// Returns the members of a dictionary. The last one of several with the same key counts. `nil` if it is invalid.
    static func dictionary(_ text: String) -> [String: Value]? {
        guard var reader = Self(text) else { return nil }
        var members: [String: Value] = [:]
        reader.skip(" ")
        while !reader.rest.isEmpty {
            guard let key = reader.key(), let value = reader.member() else { return nil }
            members[key] = value
            reader.skip(" \t")
            if reader.rest.isEmpty { return members }
            guard reader.take(",") else { return nil }
            reader.skip(" \t")
            // A comma at the end is not allowed.
            guard !reader.rest.isEmpty else { return nil }
        }
        return members
    }

    // MARK: Parts

    /// Reads the value of a member of a dictionary, after its key.
    private mutating func member() -> Value? {
        guard take("=") else { return skipParameters() ? .boolean(true) : nil }
        guard take("(") else { return valueOfItem() }
        return skipRestOfInnerList() ? .other : nil
    }

    private mutating func valueOfItem() -> Value? {
        guard let value = bareItem(), skipParameters() else { return nil }
        return value
    }

    private mutating func skipRestOfInnerList() -> Bool {
        while true {
            skip(" ")
            if take(")") { return skipParameters() }
            guard valueOfItem() != nil else { return false }
            // Items are separated by spaces.
            guard rest.first == UInt8(ascii: " ") || rest.first == UInt8(ascii: ")") else { return false }
        }
    }

    private mutating func skipParameters() -> Bool {
        while take(";") {
            skip(" ")
            guard key() != nil else { return false }
            if take("="), bareItem() == nil { return false }
        }
        return true
    }

    private mutating func key() -> String? {
        guard let first = rest.first, Self.isLowercase(first) || first == UInt8(ascii: "*") else { return nil }
        let key = takeAll { Self.isLowercase($0) || Self.isDigit($0) || "_-.*".utf8.contains($0) }
        return String(decoding: key, as: UTF8.self)
    }

    private mutating func bareItem() -> Value? {
        guard let first = rest.first else { return nil }
        switch first {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return number()
        case UInt8(ascii: "?"):
            rest.removeFirst()
            if take("1") { return .boolean(true) }
            return take("0") ? .boolean(false) : nil
        case UInt8(ascii: "\""):
            return skipString() ? .other : nil
        case UInt8(ascii: ":"):
            return skipBytes() ? .other : nil
        case UInt8(ascii: "@"):
            rest.removeFirst()
            guard case .integer? = number() else { return nil }
            return .other
        case UInt8(ascii: "%"):
            return skipDisplayString() ? .other : nil
        case _ where Self.isLetter(first) || first == UInt8(ascii: "*"):
            _ = takeAll { Self.isLetter($0) || Self.isDigit($0) || "!#$%&'*+-.^_`|~:/".utf8.contains($0) }
            return .other
        default:
            return nil
        }
    }

    /// Reads an integer of at most 15 digits, or skips a decimal.
    private mutating func number() -> Value? {
        let isNegative = take("-")
        let digits = takeAll(Self.isDigit)
        guard !digits.isEmpty else { return nil }
        guard take(".") else {
            guard digits.count <= 15, let number = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
            return .integer(isNegative ? -number : number)
        }
        let fraction = takeAll(Self.isDigit)
        return digits.count <= 12 && (1...3).contains(fraction.count) ? .other : nil
    }

    private mutating func skipString() -> Bool {
        rest.removeFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard take("\"") || take("\\") else { return false }
            case 0x20...0x7E: break
            default: return false
            }
        }
        return false
    }

    private mutating func skipBytes() -> Bool {
        rest.removeFirst()
        _ = takeAll { Self.isLetter($0) || Self.isDigit($0) || "+/=".utf8.contains($0) }
        return take(":")
    }

    private mutating func skipDisplayString() -> Bool {
        rest.removeFirst()
        guard take("\"") else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else {
                    return false
                }
                rest.removeFirst(2)
            case 0x20...0x7E: break
            default: return false
            }
        }
        return false
    }

    // MARK: Bytes

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func takeAll(_ isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: isWanted)
        rest = rest[taken.endIndex...]
        return taken
    }

    private mutating func skip(_ characters: String) {
        rest = rest.drop { characters.utf8.contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isLowercase(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
