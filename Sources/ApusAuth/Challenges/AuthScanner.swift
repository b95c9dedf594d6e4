/// Scans the bytes of a list of challenges or parameters. Each step either advances or leaves the position as it is.
struct AuthScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ line: some Sequence<UInt8>) {
        self.bytes = Array(line)
    }

    var isAtEnd: Bool { position >= bytes.count }
    var isAtEquals: Bool { !isAtEnd && bytes[position] == UInt8(ascii: "=") }
    var isAtEndOfElement: Bool { isAtEnd || bytes[position] == UInt8(ascii: ",") }

    /// Skips the separators between two list elements, and empty elements.
    mutating func skipSeparators() {
        while !isAtEnd, Self.isSpace(bytes[position]) || bytes[position] == UInt8(ascii: ",") { position += 1 }
    }

    /// Skips spaces and returns whether there were any.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = position
        while !isAtEnd, Self.isSpace(bytes[position]) { position += 1 }
        return position > start
    }

    /// Skips everything up to the next comma outside quotes.
    mutating func skipElement() {
        while !isAtEndOfElement {
            if bytes[position] == UInt8(ascii: "\"") { _ = quotedString() } else { position += 1 }
        }
    }

    /// Reads the next token, which may be empty.
    mutating func token() -> String {
        let start = position
        while !isAtEnd, Self.isTokenByte(bytes[position]) { position += 1 }
        return text(start..<position)
    }

    /// Reads the `token68` value of a scheme, or returns `nil` if the element has none or contains more than that.
    mutating func token68() -> String? {
        let start = position
        var end = start
        while end < bytes.count, Self.isToken68Byte(bytes[end]) { end += 1 }
        guard end > start else { return nil }
        while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
        position = end
        skipSpace()
        guard isAtEndOfElement else {
            position = start
            return nil
        }
        return text(start..<end)
    }

    /// Reads the next parameter, or returns `nil` if there is none.
    mutating func parameter() -> (name: String, value: [UInt8])? {
        let name = token()
        skipSpace()
        guard !name.isEmpty, isAtEquals else { return nil }
        return (name, value())
    }

    /// Reads the value after the equals sign at the current position.
    mutating func value() -> [UInt8] {
        position += 1
        skipSpace()
        if !isAtEnd, bytes[position] == UInt8(ascii: "\"") { return quotedString() }
        let start = position
        while !isAtEndOfElement { position += 1 }
        var end = position
        while end > start, Self.isSpace(bytes[end - 1]) { end -= 1 }
        return Array(bytes[start..<end])
    }

    /// Reads the quoted string at the current position. Without a closing quote it extends to the end of the line.
    private mutating func quotedString() -> [UInt8] {
        position += 1
        var value: [UInt8] = []
        while !isAtEnd, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\"), position + 1 < bytes.count { position += 1 }
            value.append(bytes[position])
            position += 1
        }
        position += 1
        return value
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }

    /// RFC 9110 §5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// RFC 9110 §11.2.
    private static func isToken68Byte(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || "-._~+/".utf8.contains(byte) }
}
