/// Decides which addresses a request may connect to, against requests that an attacker directs to internal servers
/// (server-side request forgery).
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.addresses.guard = .publicOnly
/// ```
///
/// The guard checks every address after the lookup, and the address of the connection. It does so for each
/// connection, that of a redirect too, and for all notations of an address in a URL. So a host whose name servers
/// change their answer between two lookups (DNS rebinding) reaches no refused address. Refused addresses are left
/// out. If none is left, the request fails with `addressRefused`.
///
/// Behind a proxy and over a Unix socket, another process connects to the host. The guard then checks hosts that are
/// addresses, and nothing else. Only a `socks5` proxy gets addresses that were found here, and checked. The address of
/// the proxy itself is not checked.
///
/// Guards are compared by identity: a copy of a guard equals it, and another guard with the same rule does not.
/// Requests with different guards share no connection, so create a guard once.
public struct AddressGuard: Sendable, Hashable {
    private final class Rule: Sendable {
        let name: String
        let allows: @Sendable (IPAddress, Origin) -> Bool

        init(_ name: String, _ allows: @escaping @Sendable (IPAddress, Origin) -> Bool) {
            self.name = name
            self.allows = allows
        }
    }

    /// `nil` for `publicOnly`.
    private let rule: Rule?

    /// Allows publicly routable addresses: all whose `IPAddress.isPublic` is true.
    ///
    /// IPv4 addresses that a network translates with a prefix of its own (NAT64, RFC 6052) can't be recognized, and
    /// neither can public addresses that a network uses for internal servers. Of these it knows only 168.63.129.16 of
    /// Azure.
    public static let publicOnly = AddressGuard(rule: nil)

    private init(rule: Rule?) {
        self.rule = rule
    }

    /// Creates a guard with a rule.
    ///
    /// - Parameters:
    ///   - name: The name of the guard, for errors.
    ///   - allows: Returns whether a request to an origin may connect to an address. It is called on an event loop, so
    ///     it must return quickly.
    public init(_ name: String, allows: @escaping @Sendable (_ address: IPAddress, _ origin: Origin) -> Bool) {
        self.init(rule: Rule(name, allows))
    }

    /// Returns whether a request to an origin may connect to an address.
    public func allows(_ address: IPAddress, for origin: Origin) -> Bool {
        rule?.allows(address, origin) ?? address.isPublic
    }

    /// Returns the reason why an address is refused, as a sentence without its end. `nil` if it is allowed.
    package func refusal(of address: IPAddress, for origin: Origin) -> String? {
        guard !allows(address, for: origin) else { return nil }
        guard let rule else { return "\(address) is \(address.kind)" }
        return "the guard '\(rule.name)' does not allow \(address), which is \(address.kind)"
    }

    public static func == (one: AddressGuard, other: AddressGuard) -> Bool { one.rule === other.rule }

    public func hash(into hasher: inout Hasher) { hasher.combine(rule.map { ObjectIdentifier($0) }) }
}
