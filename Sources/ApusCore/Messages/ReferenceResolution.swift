/// Resolves a URI reference against a base, RFC 3986 §5.2, byte by byte: a delimiter with a combining mark after it is
/// another character, but is still a delimiter on the wire.
enum ReferenceResolution {
    /// Returns the absolute URI of `reference` relative to `base`, without further checks.
    static func resolve(_ reference: [UInt8], against base: TargetURI) -> [UInt8] {
        let scheme = Array("\(base.origin.scheme.rawValue):".utf8)
        if let start = endOfScheme(reference) { return normalizing(reference, from: start) }
        if reference.starts(with: "//".utf8) { return normalizing(scheme + reference, from: scheme.count) }
        let root = scheme + Array("//\(base.authority)".utf8)
        let (basePath, baseQuery) = split(Array(base.path.utf8)[...])
        let (path, query) = split(reference.prefix { $0 != UInt8(ascii: "#") })
        if path.isEmpty { return root + basePath + (query ?? baseQuery ?? []) }
        let merged = path.first == UInt8(ascii: "/") ? path : directory(of: basePath) + path
        return root + removingDotSegments(merged) + (query ?? [])
    }

    /// Returns the index after the scheme and its colon, or `nil` if there is no scheme.
    private static func endOfScheme(_ reference: [UInt8]) -> Int? {
        guard let colon = reference.firstIndex(of: UInt8(ascii: ":")), let first = reference.first, isLetter(first),
            reference[..<colon].allSatisfy({ isLetter($0) || isDigitOrSign($0) })
        else { return nil }
        return colon + 1
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isDigitOrSign(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
    }

    /// Removes the dot segments of a URI's path. `start` is the index after the scheme and its colon.
    private static func normalizing(_ uri: [UInt8], from start: Int) -> [UInt8] {
        guard uri[start...].starts(with: "//".utf8) else { return uri }
        let pathStart = uri[(start + 2)...].firstIndex { "/?#\\".utf8.contains($0) } ?? uri.endIndex
        let (path, query) = split(uri[pathStart...].prefix { $0 != UInt8(ascii: "#") })
        guard !path.isEmpty else { return uri }
        return Array(uri[..<pathStart]) + removingDotSegments(path) + (query ?? [])
    }

    /// Returns the path, and the query including its question mark.
    private static func split(_ bytes: ArraySlice<UInt8>) -> (path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?) {
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return (bytes, nil) }
        return (bytes[..<mark], bytes[mark...])
    }

    private static func directory(of path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        path.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? [UInt8(ascii: "/")]
    }

    /// Removes dot segments, RFC 3986 §5.2.4. A backslash counts as a slash, as in `TargetURI`.
    private static func removingDotSegments(_ path: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [ArraySlice<UInt8>] = []
        let isSlash = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
        let segments = path.split(omittingEmptySubsequences: false, whereSeparator: isSlash).dropFirst()
        for segment in segments {
            let isLast = segment.endIndex == path.endIndex
            if segment.elementsEqual(".".utf8) {
                if isLast { kept.append([]) }
            } else if segment.elementsEqual("..".utf8) {
                _ = kept.popLast()
                if isLast { kept.append([]) }
            } else {
                kept.append(segment)
            }
        }
        return kept.reduce(into: []) { $0 += [UInt8(ascii: "/")] + $1 }
    }
}
