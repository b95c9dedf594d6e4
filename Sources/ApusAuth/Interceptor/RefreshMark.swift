internal import ApusCore

/// Tells a refresh apart, and what is done on its behalf: that can't wait for it to end.
final class RefreshMark: Sendable {
    /// The refreshes that the current task is a part of.
    @TaskLocal static var current: [RefreshMark] = []

    /// Fulfilled once the refresh is over, and those who waited for it were told.
    let end = Deferred<Void>()

    /// Whether the current task is a part of the refresh.
    var isAround: Bool { Self.current.contains { $0 === self } }

    /// Runs what the refresh consists of.
    func around<Result>(_ operation: () async throws -> Result) async rethrows -> Result {
        try await Self.$current.withValue(Self.current + [self], operation: operation)
    }
}
