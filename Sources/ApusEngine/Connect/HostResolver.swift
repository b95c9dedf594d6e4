package import ApusCore

/// An IP address, as text: what a resolver answers with.
package struct HostAddress: Sendable, Hashable {
    /// The address in its usual notation, without brackets.
    package let text: String
    /// Whether it is of IPv6.
    package let isIPv6: Bool

    package init(_ text: String, isIPv6: Bool) {
        self.text = text
        self.isIPv6 = isIPv6
    }
}

/// Turns the name of a host into addresses.
package protocol HostResolver: Sendable {
    /// Calls `completion` once, on any thread, with the addresses in the order of preference.
    func resolve(_ host: String, completion: @escaping @Sendable (Result<[HostAddress], ApusError>) -> Void)

    /// Like `resolve`, for a caller that may lose its interest: `completion` is not called after it has withdrawn.
    func lookUp(
        _ host: String,
        completion: @escaping @Sendable (Result<[HostAddress], ApusError>) -> Void
    ) -> JobInterest
}

extension HostResolver {
    /// Resolves without a way to withdraw: a completion that comes too late has to be ignored.
    package func lookUp(
        _ host: String,
        completion: @escaping @Sendable (Result<[HostAddress], ApusError>) -> Void
    ) -> JobInterest {
        resolve(host, completion: completion)
        return .none
    }
}
