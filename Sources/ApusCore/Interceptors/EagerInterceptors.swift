/// An adapter that can often do its work at once, neither waiting nor blocking: it is asked where the request runs first.
package protocol EagerAdapter: RequestAdapter {
    /// Does its work at once; `nil` if it never can.
    var adaptation: EagerAdaptation? { get }
}

/// The work of an eager adapter. A closure costs less to call than an adapter that is copied out of a list of existentials.
package struct EagerAdaptation: Sendable {
    /// Changes a request into what is to be sent; `false` where the adapter has to wait, and be asked elsewhere.
    package typealias Change = @Sendable (inout RequestMessage, RequestContext) throws -> Bool

    let change: Change

    package init(_ change: @escaping Change) {
        self.change = change
    }
}

/// A retrier that knows at once, neither waiting nor blocking, that it has nothing to say of most successes.
package protocol SelectiveRetrier: ResponseRetrier {
    /// Whether it wants to be asked about a success.
    func mayReconsider(_ attempt: RequestAttempt) -> Bool
}

/// A retrier that neither waits nor blocks: it is asked where the request runs.
protocol PromptRetrier: ResponseRetrier {
    /// The statuses of the answers that it may have something to say of, where nothing failed.
    var statuses: Set<Int> { get }

    func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult
}

/// An interceptor that leaves requests as they are: no request leaves its loop for its sake.
protocol RetryingInterceptor: RequestInterceptor {}
