public import ApusCore
internal import ApusEngine

/// The operating system's resolver, which a session uses unless its configuration has another one.
///
/// It is the base of a resolver that changes a few answers:
///
/// ```swift
/// struct Staging: HostResolving {
///     func addresses(of host: String) async throws -> [IPAddress] {
///         try await SystemHostResolver().addresses(of: host == "api.example.org" ? "staging.example.org" : host)
///     }
/// }
/// ```
public struct SystemHostResolver: HostResolving {
    /// Creates the operating system's resolver.
    public init() {}

    /// Returns the addresses of a host. Lookups of the same host at the same time share one.
    ///
    /// - Throws: `ApusError` with the code `hostNotFound` or `resolveFailed`, or `cancelled` as soon as the task is
    ///   cancelled.
    public func addresses(of host: String) async throws -> [IPAddress] {
        let outcome = Deferred<Result<[IPAddress], ApusError>>()
        let interest = SystemResolver.shared.lookUp(host) { outcome.fulfill($0) }
        return try await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            interest.withdraw()
            outcome.fulfill(.failure(CancelReason.task.error))
        }.get()
    }
}

extension CachingResolver {
    /// Creates a cache in front of the operating system's resolver, with the default limits.
    public convenience init() {
        self.init(SystemHostResolver())
    }
}
