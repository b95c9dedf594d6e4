internal import ApusCore

/// Identifies a refresh and the tasks that are part of it, which cannot wait for it to complete.
///
/// The task of a refresh inherits the task-local values of the request that started it. Requests of the refresh pass
/// until it ends, even if a credential from outside has replaced the refreshed one.
final class RefreshMark: Sendable {
    /// The refreshes that the current task is a part of.
    @TaskLocal static var current: [RefreshMark] = []

    /// Fulfilled after the refresh has completed and its waiters were resumed.
    let end = Deferred<Void>()

    /// Whether the current task is a part of the refresh.
    var isAround: Bool { Self.current.contains { $0 === self } }

    /// Runs an operation as part of the refresh.
    func around<Result>(_ operation: () async throws -> Result) async rethrows -> Result {
        try await Self.$current.withValue(Self.current + [self], operation: operation)
    }
}
