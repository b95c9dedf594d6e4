/// The hosts that are reached without a proxy, in the notation of the environment variable `no_proxy`.
///
/// ```swift
/// configuration.proxy = .server(proxy, except: "localhost, .corp.example, 10.0.0.0/8")
/// ```
///
/// Commas and blanks separate the entries:
///
/// | entry | hosts |
/// |---|---|
/// | `*` | all |
/// | `example.org`, `.example.org` | `example.org` and all names below it |
/// | `*.example.org` | all names below `example.org` |
/// | `192.0.2.7`, `2001:db8::7`, `[2001:db8::7]` | this address, in any notation |
/// | `10.0.0.0/8`, `2001:db8::/32` | the addresses of the network |
/// | `example.org:8080`, `[::1]:8080` | the same hosts, on this port |
///
/// Names are compared without case and without a dot at the end. A name is never resolved to compare it with an
/// address. An entry that is none of these is ignored.
///
/// A host is an address in all notations in which systems accept one, so `127.0.0.0/8` covers `127.1`, `0x7f.1` and
/// `2130706433`. An entry of one address may have each of them too, and that of a network is written in full.
///
/// curl reads lists in the same way, except that it knows no ports and no `*.`, takes a `*` only if it is the whole
/// list, compares only the address itself with a network of `/0`, reads an entry of one address only if it is written
/// in full, and takes an address with a dot at the end for a name.
public struct NoProxyList: Sendable, Hashable {
    private enum Hosts: Sendable, Hashable {
        case all
        /// A name, and all names below it.
        case domain(String)
        /// All names below this one.
        case subdomains(String)
        case network(IPAddress, bits: Int)
    }

    private struct Entry: Sendable, Hashable {
        let hosts: Hosts
        /// The only port. `nil` for any.
        var port: Int?
    }

    private let entries: [Entry]

    /// Reads a list.
    ///
    /// - Parameter list: The entries. Default: none.
    public init(_ list: String = "") {
        entries = list.lowercased().split { ", \t\n".contains($0) }.compactMap { Self.entry($0) }
    }

    /// Whether requests to a host go there without a proxy.
    ///
    /// - Parameters:
    ///   - host: The name or the address, without brackets.
    ///   - port: The port.
    /// - Returns: Whether an entry of the list names it.
    public func contains(_ host: String, port: Int) -> Bool {
        guard !entries.isEmpty else { return false }
        let name = Self.withoutFinalDot(host.lowercased()[...])
        let address = Self.readAddress(host)
        return entries.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            switch (entry.hosts, address) {
            case (.all, _): return true
            case (.network(let network, let bits), let address?): return address.agrees(with: network, inFirst: bits)
            case (.domain(let domain), nil): return name == domain || name.hasSuffix(".\(domain)")
            case (.subdomains(let domain), nil): return name.hasSuffix(".\(domain)")
            default: return false
            }
        }
    }

    private static func entry(_ text: Substring) -> Entry? {
        if text == "*" { return Entry(hosts: .all) }
        if let hosts = readNetwork(text) { return Entry(hosts: hosts) }
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]"), let hosts = readNetwork(text[..<close].dropFirst()) else {
                return nil
            }
            let rest = text[text.index(after: close)...]
            if rest.isEmpty { return Entry(hosts: hosts) }
            if rest.first == "/" { return readNetwork("\(text[..<close].dropFirst())\(rest)").map { Entry(hosts: $0) } }
            guard rest.first == ":", let port = readPort(rest.dropFirst()) else { return nil }
            return Entry(hosts: hosts, port: port)
        }
        guard let colon = text.firstIndex(of: ":") else { return readHosts(text).map { Entry(hosts: $0) } }
        guard let port = readPort(text[colon...].dropFirst()) else { return nil }
        return (readNetwork(text[..<colon]) ?? readHosts(text[..<colon])).map { Entry(hosts: $0, port: port) }
    }

    private static func readNetwork(_ text: some StringProtocol) -> Hosts? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return readAddress(parts[0]).map { .network($0, bits: $0.bitCount) } }
        // A short form would be mistaken: systems read the 10 of `10/8` as 0.0.0.10.
        guard let address = readAddress(parts[0], isInFull: true), let bits = number(parts[1]),
            bits <= address.bitCount
        else { return nil }
        return .network(address, bits: bits)
    }

    private static func readAddress(_ text: some StringProtocol, isInFull: Bool = false) -> IPAddress? {
        // An interface is never a part of a host.
        guard !text.utf8.contains(UInt8(ascii: "%")) else { return nil }
        return isInFull ? IPAddress(String(text)) : IPAddress(hostNotation: String(text))
    }

    private static func readHosts(_ text: Substring) -> Hosts? {
        let name = withoutFinalDot(text)
        if name.hasPrefix("*.") { return readDomain(name.dropFirst(2)).map { .subdomains($0) } }
        return readDomain(name.first == "." ? name.dropFirst() : name).map { .domain($0) }
    }

    /// Returns a name that can be compared. `nil` if it is empty or looks like a malformed address or network.
    private static func readDomain(_ name: Substring) -> String? {
        name.isEmpty || name.contains { "/[]*".contains($0) } ? nil : String(name)
    }

    private static func readPort(_ text: Substring) -> Int? { number(text).flatMap { $0 <= 65_535 ? $0 : nil } }

    private static func number(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    private static func withoutFinalDot(_ name: Substring) -> Substring { name.last == "." ? name.dropLast() : name }
}

extension NoProxyList: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}
