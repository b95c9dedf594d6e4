/// Resolves a URI reference against a base, RFC 3986 §5.2, on strings.
enum ReferenceResolution {
    /// The absolute URI that `reference` means beside `base`; it is not checked any further.
    static func resolve(_ reference: String, against base: TargetURI) -> String {
        let scheme = base.origin.scheme.rawValue
        if hasScheme(reference) { return reference }
        if reference.hasPrefix("//") { return "\(scheme):\(reference)" }
        let root = "\(scheme)://\(base.authority)"
        let (basePath, baseQuery) = split(base.path)
        let withoutFragment = reference.prefix { $0 != "#" }
        let (path, query) = split(String(withoutFragment))
        if path.isEmpty {
            return root + basePath + (query ?? baseQuery).map { "?" + $0 }.orEmpty
        }
        let merged = path.hasPrefix("/") ? path : directory(of: basePath) + path
        return root + removingDotSegments(merged) + query.map { "?" + $0 }.orEmpty
    }

    private static func hasScheme(_ reference: String) -> Bool {
        guard let colon = reference.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let head = reference.utf8[..<colon]
        guard let first = head.first, (0x61...0x7A).contains(first | 0x20) else { return false }
        return head.allSatisfy {
            (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
    }

    private static func split(_ path: String) -> (path: String, query: String?) {
        guard let mark = path.firstIndex(of: "?") else { return (path, nil) }
        return (String(path[..<mark]), String(path[path.index(after: mark)...]))
    }

    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }

    private static func removingDotSegments(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (position, segment) in segments.enumerated() {
            let isLast = position == segments.count - 1
            switch segment {
            case ".":
                if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default:
                kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}

extension String? {
    fileprivate var orEmpty: String { self ?? "" }
}
