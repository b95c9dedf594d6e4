internal import ApusJSON

/// Checks whether bytes are one valid JSON text (RFC 8259), so that an echo may contain them unquoted.
struct JSONCheck {
    private static let depthLimit = 256

    private let bytes: [UInt8]
    private var index = 0

    static func accepts(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var check = JSONCheck(bytes: bytes)
        guard check.value(depth: 0) else { return false }
        check.skipSpace()
        return check.index == bytes.count
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private mutating func take(_ wanted: UInt8) -> Bool {
        guard byte == wanted else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < Self.depthLimit else { return false }
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"): return members(to: UInt8(ascii: "}"), named: true, depth: depth)
        case UInt8(ascii: "["): return members(to: UInt8(ascii: "]"), named: false, depth: depth)
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        default: return number()
        }
    }

    private mutating func members(to end: UInt8, named: Bool, depth: Int) -> Bool {
        index += 1
        skipSpace()
        if take(end) { return true }
        while true {
            if named {
                skipSpace()
                guard string() else { return false }
                skipSpace()
                guard take(UInt8(ascii: ":")) else { return false }
            }
            guard value(depth: depth + 1) else { return false }
            skipSpace()
            if take(end) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    private mutating func string() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while let byte {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case 0x00..<0x20: return false
            case UInt8(ascii: "\\"):
                guard let escaped = self.byte, "\"\\/bfnrtu".utf8.contains(escaped) else { return false }
                index += 1
                guard escaped == UInt8(ascii: "u") else { continue }
                for _ in 0..<4 {
                    guard self.byte?.hexadecimalValue != nil else { return false }
                    index += 1
                }
            default: continue
            }
        }
        return false
    }

    private mutating func word(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { letters in letters.allSatisfy { take($0) } }
    }

    private mutating func number() -> Bool {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")), !digits() { return false }
        if take(UInt8(ascii: ".")), !digits() { return false }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            return digits()
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = index
        while let byte, byte >= 0x30, byte <= 0x39 { index += 1 }
        return index > start
    }
}
