package import ApusCore

/// Resolves host names into addresses, for the engine.
package protocol HostResolver: Sendable {
    /// Calls `completion` once, on any thread, with the addresses in the order of preference.
    func resolve(_ host: String, completion: @escaping @Sendable (Result<[IPAddress], ApusError>) -> Void)

    /// Resolves like `resolve`, for a caller that may withdraw. `completion` is not called after it has withdrawn.
    func lookUp(
        _ host: String,
        completion: @escaping @Sendable (Result<[IPAddress], ApusError>) -> Void
    ) -> JobInterest
}

extension HostResolver {
    /// Resolves without support for withdrawal. The caller has to ignore a late completion.
    package func lookUp(
        _ host: String,
        completion: @escaping @Sendable (Result<[IPAddress], ApusError>) -> Void
    ) -> JobInterest {
        resolve(host, completion: completion)
        return .none
    }
}
