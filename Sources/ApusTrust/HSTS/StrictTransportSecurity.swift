/// The value of a `Strict-Transport-Security` field.
///
/// See RFC 6797 §6.1, https://www.rfc-editor.org/rfc/rfc6797.html#section-6.1
struct StrictTransportSecurity: Equatable {
    /// The longest age, ten years. A longer one counts as this.
    static let longestAge: Int64 = 10 * 365 * 86_400

    /// How long the policy applies, in seconds. 0 removes it.
    let maxAge: Int64
    /// Whether it applies to all hosts below this one too.
    let includesSubdomains: Bool

    init(maxAge: Int64, includesSubdomains: Bool) {
        self.maxAge = maxAge
        self.includesSubdomains = includesSubdomains
    }

    /// Parses the value of a field. Returns `nil` if it does not conform to the syntax, so that it has to be ignored.
    init?(_ field: some Sequence<UInt8>) {
        var reader = DirectiveReader(field)
        var names: Set<String> = []
        var maxAge: Int64?
        var includesSubdomains = false
        repeat {
            reader.skipBlanks()
            // A directive may be empty.
            guard let name = reader.token() else { continue }
            reader.skipBlanks()
            var value: [UInt8]?
            if reader.take(UInt8(ascii: "=")) {
                reader.skipBlanks()
                guard let found = reader.value() else { return nil }
                value = found
                reader.skipBlanks()
            }
            let directive = String(decoding: name, as: UTF8.self).lowercased()
            guard names.insert(directive).inserted else { return nil }
            switch directive {
            case "max-age":
                guard let seconds = value.flatMap({ Self.seconds($0) }) else { return nil }
                maxAge = seconds
            case "includesubdomains":
                guard value == nil else { return nil }
                includesSubdomains = true
            default:
                break
            }
        } while reader.take(UInt8(ascii: ";"))
        guard reader.isAtEnd, let maxAge else { return nil }
        self.init(maxAge: maxAge, includesSubdomains: includesSubdomains)
    }

    private static func seconds(_ digits: [UInt8]) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var seconds: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            // Limited at each digit, so that no number overflows.
            seconds = min(seconds * 10 + Int64(digit - 0x30), longestAge)
        }
        return seconds
    }
}

/// Reads directives byte by byte.
private struct DirectiveReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func skipBlanks() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
    }

    /// Takes the byte if it is the next one.
    mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Returns the token at the position, or `nil` if there is none.
    mutating func token() -> [UInt8]? {
        let start = position
        while position < bytes.count, Self.isTokenByte(bytes[position]) { position += 1 }
        return position == start ? nil : Array(bytes[start..<position])
    }

    /// Returns the token or the unquoted string at the position, or `nil` if there is none.
    mutating func value() -> [UInt8]? {
        guard take(UInt8(ascii: "\"")) else { return token() }
        var content: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return content
            case UInt8(ascii: "\\"):
                guard position < bytes.count else { return nil }
                content.append(bytes[position])
                position += 1
            default:
                content.append(byte)
            }
        }
        return nil
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
