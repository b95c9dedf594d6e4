public import Foundation
public import HTTPTypes

/// Decides whether a request that failed goes again.
///
/// Retriers are asked one after the other, those of the session first, then those of the request; the first answer that is
/// not `.doNotRetry` counts. One failure is offered once, wherever it came up: in an adapter, on the wire, in validation or
/// in a serializer. A request that was cancelled is offered to nobody, and one that is cancelled while a retrier thinks does
/// not wait for it.
public protocol RequestRetrier: Sendable {
    /// Says what becomes of a request whose attempt failed.
    ///
    /// - Parameters:
    ///   - attempt: What was sent, and what came back.
    ///   - error: Why it failed.
    /// - Returns: Whether the request goes again, and when.
    func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult
}

/// A retrier that is asked about successes too: for an answer that says "not yet".
///
/// It is asked once all serializers have made something of the answer, and before anybody is told.
public protocol ResponseRetrier: RequestRetrier {
    /// Says what becomes of a request whose attempt succeeded.
    ///
    /// - Parameter attempt: What was sent, and what came back.
    /// - Returns: Whether the request goes again, and when.
    func reconsider(_ attempt: RequestAttempt) async -> RetryResult
}

/// What a retrier decides.
public enum RetryResult: Sendable {
    /// The request goes again at once.
    case retry
    /// The request is sent again after a delay. If its deadline is not after that, this is the same as `doNotRetry`.
    case retryWithDelay(Duration)
    /// The next retrier is asked; where there is none the outcome stays what it is.
    case doNotRetry
    /// The request ends with `retryFailed`, whose `underlying` is a `RetryFailure` with this error.
    case doNotRetryWithError(any Error)
}

extension RetryResult {
    var leavesItToOthers: Bool { if case .doNotRetry = self { true } else { false } }
}

/// Why a retrier ended a request.
public struct RetryFailure: Error {
    /// What the retrier says.
    public let retryError: any Error
    /// What it was asked about; `nil` where it was a success.
    public let originalError: ApusError?
}

/// One attempt at a request, over.
public struct RequestAttempt: Sendable {
    /// The request as it was sent, adapted; as it was made, where an adapter failed.
    public let request: RequestMessage
    let head: ResponseHead?
    /// The content of the answer, or as much of a refused one as an error keeps; `nil` where there is none in memory.
    public let data: Data?
    /// The file that the content was downloaded into, under its temporary name: it is moved into its place when no retrier
    /// wants another attempt, and removed otherwise.
    public let fileURL: URL?
    /// How often the request had gone again before this attempt: 0 for the first.
    public let retryCount: Int
    /// What belongs to the request but is not sent: its clock, its logger, its metrics so far.
    public let context: RequestContext

    /// The head of the answer; `nil` where none came.
    public var response: HTTPResponse? { head?.response }
}

extension RequestAttempt {
    package init(
        request: RequestMessage,
        response: HTTPResponse?,
        data: Data? = nil,
        fileURL: URL? = nil,
        retryCount: Int = 0,
        context: RequestContext
    ) {
        self.init(
            request: request,
            head: response.map { ResponseHead(status: $0.status, fields: $0.headerFields) },
            data: data,
            fileURL: fileURL,
            retryCount: retryCount,
            context: context
        )
    }
}

/// A retrier made of closures.
///
/// ```swift
/// let untilReady = Retrier(reconsidering: { attempt in
///     attempt.response?.status == .accepted ? .retryWithDelay(.seconds(1)) : .doNotRetry
/// })
/// ```
public struct Retrier: ResponseRetrier {
    /// Decides about a failure.
    public typealias Decision = @Sendable (RequestAttempt, ApusError) async -> RetryResult
    /// Decides about a success.
    public typealias Reconsideration = @Sendable (RequestAttempt) async -> RetryResult

    private let decision: Decision?
    private let reconsideration: Reconsideration?

    /// Makes a retrier that is asked about failures.
    ///
    /// - Parameter decision: Decides about a failure.
    public init(_ decision: @escaping Decision) {
        self.decision = decision
        self.reconsideration = nil
    }

    /// Makes a retrier that is asked about successes, and about failures where `decision` is given.
    ///
    /// - Parameters:
    ///   - reconsideration: Decides about a success.
    ///   - decision: Decides about a failure; `nil` (the default) leaves failures alone.
    public init(reconsidering reconsideration: @escaping Reconsideration, _ decision: Decision? = nil) {
        self.decision = decision
        self.reconsideration = reconsideration
    }

    /// Makes a retrier of a closure that calls back.
    ///
    /// - Parameter decision: Decides and calls its completion, once; what it calls later has no effect. A request that is
    ///   cancelled does not wait for it.
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

    /// Whether it has anything to say of successes.
    var reconsiders: Bool { reconsideration != nil }

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        await decision?(attempt, error) ?? .doNotRetry
    }

    public func reconsider(_ attempt: RequestAttempt) async -> RetryResult {
        await reconsideration?(attempt) ?? .doNotRetry
    }
}
