/// The parts of a request target.
enum TargetParts {
    /// Returns the path and the query, still encoded. An absolute form loses its scheme and authority.
    static func split(_ target: String) -> (path: Substring, query: Substring) {
        var rest = target[...]
        if !rest.hasPrefix("/"), let scheme = rest.firstRange(of: "://") {
            rest = rest[scheme.upperBound...]
            rest = rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
        }
        guard let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (rest, "") }
        return (rest[..<mark], rest[rest.utf8.index(after: mark)...])
    }

    /// Returns the decoded segments of a path, without empty ones.
    static func segments(_ path: Substring) -> [String] {
        path.split(separator: "/").map { decode($0, plusIsSpace: false) }
    }

    /// Returns the decoded parameters of a query or a form.
    static func parameters(_ text: Substring) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                return (decode(pair, plusIsSpace: true), "")
            }
            let value = pair[pair.utf8.index(after: equals)...]
            return (decode(pair[..<equals], plusIsSpace: true), decode(value, plusIsSpace: true))
        }
    }

    static func decode(_ text: Substring, plusIsSpace: Bool) -> String {
        guard text.utf8.contains(where: { $0 == 0x25 || $0 == 0x2B }) else { return String(text) }
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x25, index + 2 < bytes.count, let high = hexDigit(bytes[index + 1]),
                let low = hexDigit(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(plusIsSpace && bytes[index] == 0x2B ? 0x20 : bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
