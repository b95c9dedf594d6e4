/// An adapter that can often adapt at once, without waiting or blocking. It first runs on the request's own executor.
package protocol SynchronousAdapter: RequestAdapter {
    /// The adapter's synchronous implementation, or `nil` if it always has to wait.
    var adaptation: SynchronousAdaptation? { get }
}

/// The synchronous form of an adapter. A closure is cheaper to call than an adapter in a list of existentials.
package struct SynchronousAdaptation: Sendable {
    /// Changes the request in place. Returns `false` if the adapter has to wait and must run asynchronously.
    package typealias Change = @Sendable (inout RequestMessage, RequestContext) throws -> Bool

    let change: Change

    package init(_ change: @escaping Change) {
        self.change = change
    }
}

/// A retrier that can exclude most successes at once, without waiting or blocking.
package protocol SelectiveRetrier: ResponseRetrier {
    /// Returns whether the retrier has to be asked about a success.
    func mayReconsider(_ attempt: RequestAttempt) -> Bool
}

/// A retrier that never waits or blocks, so it is called on the request's own executor.
protocol SynchronousRetrier: ResponseRetrier {
    /// The statuses of successful responses that the retrier may want to retry.
    var statuses: Set<Int> { get }

    func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult
}

/// An interceptor that adapts no requests, so it is not run as an adapter.
protocol RetryOnlyInterceptor: RequestInterceptor {}
