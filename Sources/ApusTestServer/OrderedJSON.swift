/// A JSON value to be encoded. Objects keep the order of their members.
enum OrderedJSON {
    case string(String)
    case number(Int)
    case bool(Bool)
    case null
    case array([OrderedJSON])
    case object([(String, OrderedJSON)])
    /// Encoded JSON.
    case raw([UInt8])

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// Creates an object of strings. Values of the same name are joined with a comma.
    static func strings(_ pairs: [(name: String, value: String)]) -> OrderedJSON {
        .object(grouped(pairs).map { ($0, .string($1.joined(separator: ", "))) })
    }

    /// Creates an object of strings. Several values of the same name become an array.
    static func lists(_ pairs: [(name: String, value: String)]) -> OrderedJSON {
        .object(grouped(pairs).map { ($0, $1.count == 1 ? .string($1[0]) : .array($1.map { .string($0) })) })
    }

    private static func grouped(_ pairs: [(name: String, value: String)]) -> [(String, [String])] {
        var groups: [(String, [String])] = []
        for (name, value) in pairs {
            if let index = groups.firstIndex(where: { $0.0 == name }) {
                groups[index].1.append(value)
            } else {
                groups.append((name, [value]))
            }
        }
        return groups
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .string(let text): Self.write(text, to: &bytes)
        case .number(let number): bytes += Array(String(number).utf8)
        case .bool(let flag): bytes += Array((flag ? "true" : "false").utf8)
        case .null: bytes += Array("null".utf8)
        case .raw(let text): bytes += text
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.0, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.1.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x00..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
