internal import ApusCore

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

    private static func decode(_ text: Substring, plusIsSpace: Bool) -> String {
        guard plusIsSpace else { return PercentEncoding.decode(String(text)) }
        let plus = UInt8(ascii: "+")
        return PercentEncoding.decode(String(decoding: text.utf8.map { $0 == plus ? 0x20 : $0 }, as: UTF8.self))
    }
}
