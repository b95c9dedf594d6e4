public import ApusCore
internal import HTTPTypes

/// Sends no more requests than so many in a time, and has the others wait for their turn.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.networkMiddleware = [RateLimiter(10, per: .seconds(1), maximumWait: .seconds(2))]
/// ```
///
/// It is a token bucket: a request takes a token, tokens come at a steady pace, and the bucket holds `burst` of them. A
/// request that finds no token waits, first come, first served. A request fails at once if it would wait longer than
/// `maximumWait`, or if `maximumWaiting` requests wait already. Its code is `middlewareFailed`, and its `underlying` a
/// `LimitExceeded`, which says how long the wait would have been.
///
/// In `networkMiddleware` each exchange takes a token, a hop of a redirect too; in `middleware` each request takes one.
/// Copies of a configuration share one limiter, and so do sessions; these have to share their clock too, since whoever leads
/// a line goes by the clock of its own session.
///
/// ## Cancellation
/// A request that is cancelled while it waits leaves the line without taking a token.
public final class RateLimiter: Middleware {
    /// How many origins are known, beyond those where somebody waits; the one that was not asked for the longest is forgotten,
    /// and begins with a full bucket.
    public static let maximumOrigins = 1024

    private let count: Int
    private let duration: Duration
    private let maximumWait: Duration
    private let maximumWaiting: Int
    private let scope: LimitScope
    private let lines: Lock<RateLimiterLines>

    /// Makes a limiter with full buckets.
    ///
    /// - Parameters:
    ///   - count: How many requests there may be in `duration`, at least 1.
    ///   - duration: The time; a second by default.
    ///   - burst: How many of them may go at once after a quiet time; `nil` (the default) means `count`.
    ///   - scope: Whether each origin has a bucket of its own, which is the default, or all share one.
    ///   - maximumWait: The longest time that a request waits; 10 s by default, zero has none wait.
    ///   - maximumWaiting: How many may wait, in all lines together; 1024 by default.
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
        let rules = RateLimiterLines.Rules(
            bucket: bucket,
            maximumWait: maximumWait,
            maximumWaiting: maximumWaiting
        )
        self.lines = Lock(RateLimiterLines(rules, maximumOrigins: Self.maximumOrigins))
    }

    /// How many requests wait.
    public var waitingCount: Int { lines.withLock { $0.waitingCount } }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        try await waitForToken(scope.key(of: request), context.time)
        return try await next(request, context: context)
    }

    private func waitForToken(_ key: Origin?, _ time: any RequestTime) async throws(ApusError) {
        guard !Task.isCancelled else { throw CancelReason.task.error }
        let now = time.now
        switch lines.withLock({ $0.enter(key, at: now) }) {
        case .admitted: return
        case .leading: try await lead(key, time)
        case .following(let follower):
            let withdraw = { @Sendable [self] follower in lines.withLock { $0.withdraw(follower, key) } }
            guard await follower.wait(orWithdraw: withdraw) != nil else { throw CancelReason.task.error }
            try await lead(key, time)
        case .tooLong(let wait):
            throw refusal(key, wait, "and no more than \(maximumWait.spoken) is allowed")
        case .full(let wait):
            throw refusal(key, wait, "and \(maximumWaiting) wait already")
        }
    }

    /// Waits for the next token at the head of the line.
    private func lead(_ key: Origin?, _ time: any RequestTime) async throws(ApusError) {
        while !Task.isCancelled {
            let now = time.now
            switch lines.withLock({ $0.turn(key, at: now) }) {
            case .admitted(let successor):
                successor?.call(())
                return
            case .sleep(let end):
                // Cancelled, it throws; the loop sees that.
                try? await time.sleep(until: end)
            }
        }
        lines.withLock { $0.giveUp(key) }?.call(())
        throw CancelReason.task.error
    }

    private func refusal(_ key: Origin?, _ wait: Duration, _ limit: String) -> ApusError {
        LimitExceeded(origin: key, wait: wait).error(
            "\(count) in \(duration.spoken); this one would have had to wait \(wait.spoken), \(limit)"
        )
    }
}
