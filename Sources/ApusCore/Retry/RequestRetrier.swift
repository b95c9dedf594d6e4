public import Foundation
public import HTTPTypes

/// Decides whether a failed request is retried.
///
/// Retriers are called one after the other, those of the session first, then those of the request. The first result
/// other than `.doNotRetry` counts. They are called once for each failure: in an adapter, during the exchange, in
/// validation or in a serializer.
///
/// For a cancelled request no retrier is called. A request that is cancelled while a retrier decides does not wait for
/// it. A request that can't be built has no attempt, so `retryCreation(dueTo:context:)` decides about it.
public protocol RequestRetrier: Sendable {
    /// Decides about a request whose attempt failed.
    ///
    /// - Parameters:
    ///   - attempt: The request and its response.
    ///   - error: The error of the attempt.
    /// - Returns: Whether and when to retry the request.
    func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult

    /// Decides whether a request that could not be built is built again. Default: `.doNotRetry`, since most requests
    /// would fail in the same way.
    ///
    /// Called for handles whose request is built by code of the program, once for each attempt: by a
    /// `RequestConvertible` that needs a token, for example. Direct calls and streams build their request once, in the
    /// caller, and throw the error. `context.retryCount` counts these retries too.
    ///
    /// - Parameters:
    ///   - error: The error of building the request, for example `requestBuildingFailed`. Its `underlying` is the error
    ///     that the program has thrown.
    ///   - context: The context of the request.
    /// - Returns: Whether and when to build the request again.
    func retryCreation(dueTo error: ApusError, context: RequestContext) async -> RetryResult
}

extension RequestRetrier {
    public func retryCreation(dueTo error: ApusError, context: RequestContext) async -> RetryResult { .doNotRetry }
}

/// A retrier that is also called for successes, such as a response that means "not yet".
///
/// It is called after all serializers have run, and before any completion handler is called.
public protocol ResponseRetrier: RequestRetrier {
    /// Decides about a request whose attempt succeeded.
    ///
    /// - Parameter attempt: The request and its response.
    /// - Returns: Whether and when to retry the request.
    func reconsider(_ attempt: RequestAttempt) async -> RetryResult
}

/// The decision of a retrier.
public enum RetryResult: Sendable {
    /// Retries the request at once.
    case retry
    /// Retries the request after a delay. Same as `doNotRetry` if the request's deadline is not after the delay.
    case retryWithDelay(Duration)
    /// Leaves the decision to the next retrier. After the last one the outcome is final.
    case doNotRetry
    /// Ends the request with `retryFailed`, whose `underlying` is a `RetryFailure` with this error.
    case doNotRetryWithError(any Error)
}

extension RetryResult {
    var leavesItToOthers: Bool { if case .doNotRetry = self { true } else { false } }
}

/// The error of a request that a retrier ended.
public struct RetryFailure: Error {
    /// The retrier's error.
    public let retryError: any Error
    /// The error that the retrier was called with. `nil` if the attempt had succeeded.
    public let originalError: ApusError?
}

/// A completed attempt at a request.
public struct RequestAttempt: Sendable {
    /// The adapted request that was sent. The original request if an adapter failed.
    public let request: RequestMessage
    let head: ResponseHead?
    /// The response body. For a rejected response, the part that the error keeps. `nil` if no body is in memory.
    public let data: Data?
    /// The temporary file of a downloaded body. It is moved to its destination if no retrier wants another attempt, and
    /// removed otherwise.
    public let fileURL: URL?
    /// The number of retries before this attempt: 0 for the first.
    public let retryCount: Int
    /// Local data of the request, never sent to the server: its clock, its logger, its metrics so far.
    public let context: RequestContext

    /// Whether the request may be sent again without a further effect: it is idempotent, or was sent with an
    /// `Idempotency-Key` that a middleware has added.
    public var isIdempotent: Bool { request.isIdempotent || context.hadIdempotencyKey }

    /// The response head. `nil` if none arrived.
    public var response: HTTPResponse? { head?.response }
}

extension RequestAttempt {
    /// The last attempt at the request of `context`.
    init(
        request: RequestMessage,
        head: ResponseHead?,
        data: Data? = nil,
        fileURL: URL? = nil,
        context: RequestContext
    ) {
        self.init(
            request: request,
            head: head,
            data: data,
            fileURL: fileURL,
            retryCount: context.retryCount,
            context: context
        )
    }

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
            head: response.map { ResponseHead($0) },
            data: data,
            fileURL: fileURL,
            retryCount: retryCount,
            context: context
        )
    }
}
