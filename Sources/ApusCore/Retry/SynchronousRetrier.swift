/// A retrier that can usually decide without waiting. It is called on the request's own executor, which avoids a thread
/// change, and must not block.
///
/// ```swift
/// struct UntilReady: SynchronousRetrier {
///     func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult? {
///         let isPending = attempt.data == Data("pending".utf8)
///         return isPending && attempt.retryCount < 5 ? .retryWithDelay(.seconds(1)) : .doNotRetry
///     }
/// }
/// ```
public protocol SynchronousRetrier: ResponseRetrier {
    /// The statuses of the successes that the retrier decides about. `nil` means all statuses, which a condition on the
    /// body or on other fields needs. Default: `nil`.
    var interestingStatuses: Set<Int>? { get }

    /// Decides about an attempt.
    ///
    /// - Parameters:
    ///   - attempt: The request and its response.
    ///   - error: The error of the attempt. `nil` if it succeeded.
    /// - Returns: Whether and when to retry the request. `nil` if the decision has to wait for something: then `retry`
    ///   or `reconsider` is called.
    func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult?
}

extension SynchronousRetrier {
    public var interestingStatuses: Set<Int>? { nil }

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        decision(attempt, dueTo: error) ?? .doNotRetry
    }

    public func reconsider(_ attempt: RequestAttempt) async -> RetryResult {
        decision(attempt, dueTo: nil) ?? .doNotRetry
    }
}

extension SynchronousRetrier where Self: RequestInterceptor {
    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        decision(attempt, dueTo: error) ?? .doNotRetry
    }
}

/// An interceptor that adapts no requests, so it is not run as an adapter.
protocol RetryOnlyInterceptor: RequestInterceptor {}
