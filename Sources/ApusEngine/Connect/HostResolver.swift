package import ApusCore

/// An IP address in text form, as a resolver returns it.
package struct HostAddress: Sendable, Hashable {
    /// The address in its usual notation, without brackets.
    package let text: String
    /// Whether it is an IPv6 address.
    package let isIPv6: Bool

    package init(_ text: String, isIPv6: Bool) {
        self.text = text
        self.isIPv6 = isIPv6
    }
}

/// Resolves host names into addresses.
package protocol HostResolver: Sendable {
    /// Calls `completion` once, on any thread, with the addresses in the order of preference.
    func resolve(_ host: String, completion: @escaping @Sendable (Result<[HostAddress], ApusError>) -> Void)

    /// Resolves like `resolve`, for a caller that may withdraw. `completion` is not called after it has withdrawn.
    func lookUp(
        _ host: String,
        completion: @escaping @Sendable (Result<[HostAddress], ApusError>) -> Void
    ) -> JobInterest
}

extension HostResolver {
    /// Resolves without support for withdrawal. The caller has to ignore a late completion.
    package func lookUp(
        _ host: String,
        completion: @escaping @Sendable (Result<[HostAddress], ApusError>) -> Void
    ) -> JobInterest {
        resolve(host, completion: completion)
        return .none
    }
}
