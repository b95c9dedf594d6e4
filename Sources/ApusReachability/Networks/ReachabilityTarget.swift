internal import ApusCore

/// The destinations that a network is asked for.
enum ReachabilityTarget: Sendable, Hashable {
    /// Any address: a default route of IPv4 or IPv6.
    case anywhere
    /// The networks of the interfaces: no route is needed.
    case interfaces
    /// At least one of these addresses.
    case addresses([IPAddress])

    /// Groups of addresses. At least one group must be reachable, which requires all of its addresses. `nil` if no
    /// route is needed.
    var groups: [[IPAddress]]? {
        switch self {
        case .anywhere: Self.documentation
        case .interfaces: nil
        case .addresses(let addresses): addresses.map { [$0] }
        }
    }

    /// Addresses that are reserved for documentation (RFC 5737, RFC 3849, RFC 9637). A local network may use one of
    /// these ranges. The other ranges then still need a default route.
    private static let documentation = [
        ["192.0.2.1", "198.51.100.1", "203.0.113.1"], ["2001:db8::1", "3fff::1"],
    ].map { group in group.compactMap { IPAddress($0) } }
}
