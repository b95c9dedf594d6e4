/// A retrier that calls closures.
///
/// ```swift
/// let untilReady = Retrier(reconsidering: { attempt in
///     attempt.response?.status == .accepted ? .retryWithDelay(.seconds(1)) : .doNotRetry
/// })
/// ```
public struct Retrier: ResponseRetrier {
    /// A closure that decides about a failure.
    public typealias Decision = @Sendable (RequestAttempt, ApusError) async -> RetryResult
    /// A closure that decides about a success.
    public typealias Reconsideration = @Sendable (RequestAttempt) async -> RetryResult

    private let decision: Decision?
    private let reconsideration: Reconsideration?

    /// Creates a retrier that is called for failures.
    ///
    /// - Parameter decision: Decides about a failure.
    public init(_ decision: @escaping Decision) {
        self.decision = decision
        self.reconsideration = nil
    }

    /// Creates a retrier that is called for successes, and for failures if `decision` is given.
    ///
    /// - Parameters:
    ///   - reconsideration: Decides about a success.
    ///   - decision: Decides about a failure. `nil` ignores failures. Default: `nil`.
    public init(reconsidering reconsideration: @escaping Reconsideration, _ decision: Decision? = nil) {
        self.decision = decision
        self.reconsideration = reconsideration
    }

    /// Creates a retrier from a closure with a completion handler.
    ///
    /// - Parameter decision: Decides and calls its completion handler once. Later calls have no effect. A cancelled
    ///   request does not wait for it.
    public init(
        _ decision:
            @escaping @Sendable (
                RequestAttempt,
                ApusError,
                _ completion: @escaping @Sendable (RetryResult) -> Void
            ) -> Void
    ) {
        self.init { attempt, error in
            await Callback.result(whenCancelled: .doNotRetry) { completion in decision(attempt, error, completion) }
        }
    }

    /// Whether it is called for successes.
    var reconsiders: Bool { reconsideration != nil }

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        await decision?(attempt, error) ?? .doNotRetry
    }

    public func reconsider(_ attempt: RequestAttempt) async -> RetryResult {
        await reconsideration?(attempt) ?? .doNotRetry
    }
}
