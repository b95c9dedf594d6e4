internal import ApusCore

extension String {
    /// With the letters of ASCII in small. Some others, the sign of Kelvin among them, have one of ASCII as their small
    /// letter, and no name of a host has those.
    var lowercasedASCII: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

/// Where a cookie belongs to: which hosts, which paths, which connections.
enum CookieScope {
    /// No name of a host is longer, RFC 1035 §2.3.4; what claims to be one has no cookies.
    static let longestHost = 253

    /// Whether a byte may stand in the name of a host in small letters, or in an address.
    static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Whether a host is the domain, or below it, RFC 6265bis §5.1.3. Both are in small letters.
    static func host(_ host: String, matches domain: String) -> Bool {
        if host == domain { return true }
        let host = host.utf8
        let domain = domain.utf8
        guard host.count > domain.count, host.suffix(domain.count).elementsEqual(domain) else { return false }
        let before = host.index(host.endIndex, offsetBy: -domain.count - 1)
        return host[before] == UInt8(ascii: ".") && !isAddress(host)
    }

    /// Whether a host is an IP address: it has a colon, or its last label is a number, as no name's is.
    static func isAddress(_ host: some BidirectionalCollection<UInt8>) -> Bool {
        if host.contains(UInt8(ascii: ":")) { return true }
        var label = host[...]
        if label.last == UInt8(ascii: ".") { label.removeLast() }
        if let dot = label.lastIndex(of: UInt8(ascii: ".")) { label = label[label.index(after: dot)...] }
        guard let first = label.first, (0x30...0x39).contains(first) else { return false }
        if first == 0x30, let second = label.dropFirst().first, second | 0x20 == UInt8(ascii: "x") {
            return label.dropFirst(2).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
        }
        return label.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The path of a target without its query.
    static func path(of target: borrowing TargetURI) -> Substring.UTF8View {
        target.path.utf8.prefix { $0 != UInt8(ascii: "?") }
    }

    /// Whether a request's path is a cookie's, or below it, RFC 6265bis §5.1.4.
    static func path(_ path: Substring.UTF8View, matches cookiePath: String) -> Bool {
        let cookiePath = cookiePath.utf8
        // What most cookies have.
        if cookiePath.count == 1 { return cookiePath.first == path.first }
        guard path.starts(with: cookiePath) else { return false }
        let rest = path.dropFirst(cookiePath.count)
        return rest.isEmpty || cookiePath.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
    }

    /// The path of a cookie that names none, RFC 6265bis §5.1.4: that of the target up to its last slash.
    static func defaultPath(of target: borrowing TargetURI) -> String {
        let path = path(of: target)
        guard path.first == UInt8(ascii: "/"), let slash = path.lastIndex(of: UInt8(ascii: "/")),
            slash > path.startIndex
        else { return "/" }
        return String(Substring(path[..<slash]))
    }

    /// Whether cookies that want a secure connection go to an origin: over TLS, or to this machine itself, where nobody
    /// listens on the way.
    static func isSecure(_ origin: borrowing Origin) -> Bool {
        origin.scheme == .https || isLoopback(origin.host)
    }

    private static func isLoopback(_ host: String) -> Bool {
        let bytes = host.utf8
        switch bytes.last {
        case UInt8(ascii: "t"):
            return host == "localhost" || bytes.suffix(10).elementsEqual(".localhost".utf8)
        case UInt8(ascii: "1") where host == "::1":
            return true
        default:
            guard bytes.starts(with: "127.".utf8) else { return false }
            let fields = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return fields.count == 4
                && fields.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy { (0x30...0x39).contains($0) } }
        }
    }
}
