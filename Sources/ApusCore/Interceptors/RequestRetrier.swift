public import Foundation
public import HTTPTypes

/// Decides whether a request goes again.
///
/// Retriers are asked one after the other, those of the session first, then those of the request; the first answer that is
/// not `.doNotRetry` counts. One failure is offered once, wherever it came up: in an adapter, on the wire, in validation or
/// in a serializer. A request that was cancelled is offered to nobody.
public protocol RequestRetrier: Sendable {
    /// Says what becomes of an attempt that failed.
    ///
    /// - Parameters:
    ///   - attempt: What was sent, and what came back.
    ///   - error: Why it failed.
    /// - Returns: Whether the request goes again, and when.
    func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult

    /// Says what becomes of an attempt that succeeded; it is the answer, by default.
    ///
    /// - Parameter attempt: What was sent, and what came back.
    /// - Returns: Whether the request goes again, and when.
    func reconsider(_ attempt: RequestAttempt) async -> RetryResult
}

extension RequestRetrier {
    public func reconsider(_ attempt: RequestAttempt) async -> RetryResult { .doNotRetry }
}

/// What a retrier decides.
public enum RetryResult: Sendable {
    /// The request goes again at once.
    case retry
    /// The request goes again after a while.
    case retryWithDelay(Duration)
    /// The next retrier is asked; where there is none the outcome stays what it is.
    case doNotRetry
    /// The request ends with this error; what had happened is its cause.
    case doNotRetryWithError(any Error)
}

/// One attempt at a request, over.
public struct RequestAttempt: Sendable {
    /// The request as it was sent, adapted; as it was made, where an adapter failed.
    public let request: RequestMessage
    /// The head of the answer; `nil` where none came.
    public let response: HTTPResponse?
    /// The content of the answer, or as much of a refused one as an error keeps; `nil` where there is none in memory.
    public let data: Data?
    /// How often the request had gone again before this attempt: 0 for the first.
    public let retryCount: Int
    /// What belongs to the request but is not sent: its clock, its logger, its metrics so far.
    public let context: RequestContext
}

/// A retrier made of a closure.
public struct Retrier: RequestRetrier {
    /// Decides about a failure.
    public typealias Decision = @Sendable (RequestAttempt, ApusError) async -> RetryResult

    private let decision: Decision

    /// Makes a retrier of an async closure.
    public init(_ decision: @escaping Decision) {
        self.decision = decision
    }

    /// Makes a retrier of a closure that calls back.
    ///
    /// - Parameter decision: Decides and calls its completion, once; what it calls later has no effect. A request that is
    ///   cancelled does not wait for it.
    public init(
        _ decision: @escaping @Sendable (
            RequestAttempt,
            ApusError,
            _ completion: @escaping @Sendable (RetryResult) -> Void
        ) -> Void
    ) {
        self.init { attempt, error in
            let outcome = Deferred<RetryResult>()
            decision(attempt, error) { outcome.fulfill($0) }
            return await outcome.value
        }
    }

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        await decision(attempt, error)
    }
}
