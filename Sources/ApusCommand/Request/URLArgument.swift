/// Makes an absolute URL of what was typed.
///
/// | typed | meant |
/// |---|---|
/// | `example.org/x` | `http://example.org/x` |
/// | `:8080/x`, `:/x`, `:` | `http://localhost:8080/x`, `http://localhost/x`, `http://localhost` |
/// | `://example.org`, `//example.org` | `http://example.org` (a URL that was pasted or cut in half) |
/// | `https:/example.org`, `https:\\example.org`, `https:example.org` | `https://example.org`, as browsers read it |
/// | `http:8080/x` | `http://http:8080/x`: a host and its port |
enum URLArgument {
    /// The absolute URL, unchecked.
    ///
    /// - Parameters:
    ///   - argument: What was typed.
    ///   - scheme: The scheme where none was typed.
    /// - Returns: What has a scheme and, with luck, a host.
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

    /// The URL with two slashes behind `http:` or `https:`, however many were typed: else the scheme would be taken for a
    /// host, and a password behind it would be sent there. `nil` without such a scheme, or with a port behind it.
    private static func webURL(_ text: Substring) -> String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            ["http", "https"].contains(text[..<colon].lowercased())
        else { return nil }
        let behind = text.utf8[colon...].dropFirst()
        let rest = behind.drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        if rest.startIndex == behind.startIndex, beginsWithPort(rest) { return nil }
        return "\(text[..<colon])://\(Substring(rest))"
    }

    /// Whether digits are all that stands ahead of a path, a query or the end.
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
