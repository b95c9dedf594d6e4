/// Completes a typed URL to an absolute one.
///
/// | typed | meaning |
/// |---|---|
/// | `example.org/x` | `http://example.org/x` |
/// | `:8080/x`, `:/x`, `:` | `http://localhost:8080/x`, `http://localhost/x`, `http://localhost` |
/// | `://example.org`, `//example.org` | `http://example.org` (a URL that was pasted incompletely) |
/// | `https:/example.org`, `https:\\example.org`, `https:example.org` | `https://example.org`, as browsers read it |
/// | `http:8080/x` | `http://http:8080/x`: a host named `http`, and its port |
enum URLArgument {
    /// Returns the absolute URL, without validating it.
    ///
    /// - Parameters:
    ///   - argument: The typed text.
    ///   - scheme: The scheme to add if there is none.
    /// - Returns: A text with a scheme, but not necessarily a host.
    static func absolute(_ argument: String, defaultScheme scheme: String) -> String {
        var rest = Substring(argument.drop { $0 == " " })
        while rest.last == " " { rest.removeLast() }
        if rest.hasPrefix("://") {
            rest = rest.dropFirst(3)
        } else if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
        }
        if let url = webURL(rest) { return url }
        if hasScheme(rest) { return String(rest) }
        if rest.first == ":", !rest.hasPrefix("::") {
            let port = rest.dropFirst().prefix { ("0"..."9").contains($0) }
            let path = rest.dropFirst(1 + port.count)
            return "\(scheme)://localhost\(port.isEmpty ? "" : ":\(port)")\(path)"
        }
        return "\(scheme)://\(rest)"
    }

    /// Returns the URL with two slashes after `http:` or `https:`. Otherwise the scheme would become the host, and a
    /// password after it would be sent there. Returns `nil` without such a scheme, or with a port after it.
    private static func webURL(_ text: Substring) -> String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            ["http", "https"].contains(text[..<colon].lowercased())
        else { return nil }
        let behind = text.utf8[colon...].dropFirst()
        let rest = behind.drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        if rest.startIndex == behind.startIndex, beginsWithPort(rest) { return nil }
        return "\(text[..<colon])://\(Substring(rest))"
    }

    /// Whether the text begins with digits, followed by a path, a query, a fragment or the end.
    private static func beginsWithPort(_ text: Substring.UTF8View) -> Bool {
        let rest = text.drop { (0x30...0x39).contains($0) }
        return rest.startIndex > text.startIndex && (rest.first.map { "/?#".utf8.contains($0) } ?? true)
    }

    private static func hasScheme(_ text: Substring) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[colon...].hasPrefix("://") else {
            return false
        }
        let scheme = text[..<colon].utf8
        guard let first = scheme.first, (0x61...0x7A).contains(first | 0x20) else { return false }
        return scheme.allSatisfy {
            (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "+")
                || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
    }
}
