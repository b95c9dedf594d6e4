internal import HTTPTypes

/// An adapter that can often do its work at once, neither waiting nor blocking: it is asked where the request runs first.
package protocol EagerAdapter: RequestAdapter {
    /// Whether it ever can.
    var adaptsAtOnce: Bool { get }

    /// The request as it is to be sent; `nil` where the adapter has to wait, and be asked elsewhere.
    func adaptAtOnce(_ request: RequestMessage, context: RequestContext) throws -> RequestMessage?
}

/// A retrier that knows at once, neither waiting nor blocking, that it has nothing to say of most successes.
package protocol SelectiveRetrier: ResponseRetrier {
    /// Whether it wants to be asked about a success.
    func mayReconsider(_ attempt: RequestAttempt) -> Bool
}

/// A retrier that neither waits nor blocks: it is asked where the request runs.
protocol PromptRetrier: ResponseRetrier {
    /// Whether it may have something to say of an answer with this status, where nothing failed.
    func concerns(_ status: HTTPResponse.Status) -> Bool

    func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult
}

/// An interceptor that leaves requests as they are: no request leaves its loop for its sake.
protocol RetryingInterceptor: RequestInterceptor {}
