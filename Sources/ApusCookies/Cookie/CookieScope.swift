internal import ApusCore

extension String {
    /// The string with ASCII letters in lowercase. `lowercased()` would also map some non-ASCII letters, such as the
    /// Kelvin sign, to ASCII letters that a host name does not have.
    var lowercasedASCII: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

/// The rules for which hosts, paths and connections a cookie is valid.
enum CookieScope {
    /// The maximum length of a host name, RFC 1035 §2.3.4. A longer one has no cookies.
    static let longestHost = 253

    /// Returns whether a byte is allowed in a lowercase host name or an address.
    static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Returns whether a host is the domain or a subdomain of it, RFC 6265bis §5.1.3. Both must be in lowercase.
    static func host(_ host: String, matches domain: String) -> Bool {
        if host == domain { return true }
        let host = host.utf8
        let domain = domain.utf8
        guard host.count > domain.count, host.suffix(domain.count).elementsEqual(domain) else { return false }
        let before = host.index(host.endIndex, offsetBy: -domain.count - 1)
        return host[before] == UInt8(ascii: ".") && !isAddress(host)
    }

    /// Returns whether a host is an IP address: it has a colon, or its last label is a number.
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

    /// Returns the path of a target without its query.
    static func path(of target: borrowing TargetURI) -> Substring.UTF8View {
        target.path.utf8.prefix { $0 != UInt8(ascii: "?") }
    }

    /// Returns whether a request's path is the cookie's path or below it, RFC 6265bis §5.1.4.
    static func path(_ path: Substring.UTF8View, matches cookiePath: String) -> Bool {
        let cookiePath = cookiePath.utf8
        // Fast path for `/`, the most common path.
        if cookiePath.count == 1 { return cookiePath.first == path.first }
        guard path.starts(with: cookiePath) else { return false }
        let rest = path.dropFirst(cookiePath.count)
        return rest.isEmpty || cookiePath.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
    }

    /// Returns the path of a cookie without `Path`, RFC 6265bis §5.1.4: the target's path up to its last slash.
    static func defaultPath(of target: borrowing TargetURI) -> String {
        let path = path(of: target)
        guard path.first == UInt8(ascii: "/"), let slash = path.lastIndex(of: UInt8(ascii: "/")),
            slash > path.startIndex
        else { return "/" }
        return String(Substring(path[..<slash]))
    }

    /// Returns whether secure cookies are sent to an origin: over TLS, or to a loopback host, where no network can
    /// intercept them.
    ///
    /// - Parameters:
    ///   - origin: The origin.
    ///   - isDirect: Whether a connection to a loopback host stays on this machine. Default: `true`.
    /// - Returns: Whether secure cookies are sent.
    static func isSecure(_ origin: borrowing Origin, isDirect: Bool = true) -> Bool {
        if origin.scheme == .https { return true }
        return isDirect && isLoopback(origin.host)
    }

    /// Returns whether a host is this machine: `localhost`, `127.0.0.0/8` or `::1`. Names below `localhost` are not,
    /// since a name server may resolve them to any address.
    static func isLoopback(_ host: String) -> Bool {
        switch host.utf8.first {
        case UInt8(ascii: "l"): host == "localhost"
        case UInt8(ascii: ":"): host == "::1"
        case UInt8(ascii: "1"): host.utf8.starts(with: "127.".utf8) && IPAddress(host)?.isLoopback == true
        default: false
        }
    }
}
