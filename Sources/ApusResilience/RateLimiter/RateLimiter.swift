public import ApusCore
internal import HTTPTypes

/// Limits the rate at which requests are sent, and delays the rest.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.networkMiddleware = [RateLimiter(10, per: .seconds(1), maximumWait: .seconds(2))]
/// ```
///
/// A token bucket: each request takes a token, tokens are added at a steady rate, and the bucket holds up to `burst` of
/// them. A request that finds no token waits, first come, first served. A request fails immediately if it would wait
/// longer than `maximumWait`, or if `maximumWaiting` requests wait already. The error has the code `middlewareFailed`.
/// Its `underlying` is a `LimitExceeded` with the time the request would have waited.
///
/// In `networkMiddleware` each exchange takes a token, including each redirect. In `middleware` each attempt
/// of a request takes one.
/// Copies of a configuration, and the sessions created with them, share one limiter. These sessions must also share a
/// clock, since the first waiting request sleeps by the clock of its own session.
///
/// ## Cancellation
/// A request that is cancelled while it waits leaves the queue without taking a token.
public final class RateLimiter: Middleware {
    /// The maximum number of origins that are remembered, not counting those with waiting requests. Beyond it, the
    /// least recently used origins are forgotten, and start again with a full bucket.
    public static let maximumOrigins = 1024

    private let count: Int
    private let duration: Duration
    private let maximumWait: Duration
    private let maximumWaiting: Int
    private let scope: LimitScope
    private let queues: Lock<RateLimiterQueues>

    /// Creates a limiter with full buckets.
    ///
    /// - Parameters:
    ///   - count: The number of requests allowed per `duration`, at least 1.
    ///   - duration: The period that `count` refers to. Default: 1 s.
    ///   - burst: The number of requests that may be sent at once after a quiet period. Default: `nil`, for `count`.
    ///   - scope: Whether each origin has its own bucket or all requests share one. Default: `.eachOrigin`.
    ///   - maximumWait: The longest time a request waits. With zero, no request waits. Default: 10 s.
    ///   - maximumWaiting: The maximum number of waiting requests, over all buckets. Default: 1024.
    public init(
        _ count: Int,
        per duration: Duration = .seconds(1),
        burst: Int? = nil,
        scope: LimitScope = .eachOrigin,
        maximumWait: Duration = .seconds(10),
        maximumWaiting: Int = 1024
    ) {
        self.count = max(1, count)
        self.duration = duration
        self.maximumWait = maximumWait
        self.maximumWaiting = maximumWaiting
        self.scope = scope
        let bucket = TokenBucket(count, per: duration, burst: burst ?? count)
        let rules = RateLimiterQueues.Rules(
            bucket: bucket,
            maximumWait: maximumWait,
            maximumWaiting: maximumWaiting
        )
        self.queues = Lock(RateLimiterQueues(rules, maximumOrigins: Self.maximumOrigins))
    }

    /// The number of waiting requests.
    public var waitingCount: Int { queues.withLock { $0.waitingCount } }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        try await waitForToken(scope.key(of: request), context.time)
        return try await next(request, context: context)
    }

    private func waitForToken(_ key: Origin?, _ time: any SessionClock) async throws(ApusError) {
        guard !Task.isCancelled else { throw CancelReason.task.error }
        let now = time.now
        switch queues.withLock({ $0.enter(key, at: now) }) {
        case .admitted: return
        case .leading: try await lead(key, time)
        case .following(let follower):
            let withdraw = { @Sendable [self] follower in queues.withLock { $0.withdraw(follower, key) } }
            guard await follower.wait(orWithdraw: withdraw) != nil else { throw CancelReason.task.error }
            try await lead(key, time)
        case .tooLong(let wait):
            throw refusal(key, wait, "but at most \(maximumWait.formatted) is allowed")
        case .full(let wait):
            throw refusal(key, wait, "and \(maximumWaiting) are already waiting")
        }
    }

    /// Waits for the next token at the head of the queue.
    private func lead(_ key: Origin?, _ time: any SessionClock) async throws(ApusError) {
        while !Task.isCancelled {
            let now = time.now
            switch queues.withLock({ $0.turn(key, at: now) }) {
            case .admitted(let successor):
                successor?.call(())
                return
            case .sleep(let end):
                // A cancelled sleep throws, and the loop condition ends the wait.
                try? await time.sleep(until: end)
            }
        }
        queues.withLock { $0.cancelLeader(key) }?.call(())
        throw CancelReason.task.error
    }

    private func refusal(_ key: Origin?, _ wait: Duration, _ limit: String) -> ApusError {
        LimitExceeded(origin: key, wait: wait).error(
            "\(count) in \(duration.formatted); this one would have to wait \(wait.formatted), \(limit)"
        )
    }
}
