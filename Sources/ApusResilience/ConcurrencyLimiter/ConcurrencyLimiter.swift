public import ApusCore
internal import HTTPTypes

/// Limits the number of concurrent exchanges, and queues the rest.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.networkMiddleware = [ConcurrencyLimiter(4)]
/// ```
///
/// An exchange counts until its body was read completely, failed or was discarded: with a limit of four, a program that
/// holds four unread bodies can't start a fifth exchange. Exchanges above the limit are queued, first come, first
/// served. Once `maximumWaiting` of them wait, further requests fail with the code `middlewareFailed` and a
/// `LimitExceeded` as `underlying`. Only the request's deadline limits how long it waits.
///
/// If another request waits for user code (an adapter, a retrier, a redirect handler, a middleware), a request made by
/// that code is sent immediately, even above the limit. The waiting requests may hold all slots.
///
/// Add it to `networkMiddleware`, where it counts exchanges. In `middleware` it counts attempts of requests. Put it ahead of
/// a `CircuitBreaker`, so that trials do not wait. Copies of a configuration, and their sessions, share one limiter.
///
/// ## Cancellation
/// A request that is cancelled while it waits leaves the queue.
public final class ConcurrencyLimiter: Middleware {
    private let limit: Int
    private let maximumWaiting: Int
    private let scope: LimitScope
    private let gates: Lock<ConcurrencyLimiterGates>

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of concurrent exchanges, at least 1.
    ///   - scope: Whether the limit applies to each origin or to all together. Default: `.eachOrigin`.
    ///   - maximumWaiting: The maximum number of queued exchanges, over all origins. Default: 1024.
    public init(_ limit: Int, scope: LimitScope = .eachOrigin, maximumWaiting: Int = 1024) {
        self.limit = max(1, limit)
        self.maximumWaiting = maximumWaiting
        self.scope = scope
        self.gates = Lock(ConcurrencyLimiterGates(limit: max(1, limit), maximumWaiting: maximumWaiting))
    }

    /// The number of exchanges in flight and the number of queued ones.
    public var counts: (inFlight: Int, queued: Int) {
        gates.withLock { ($0.insideCount, $0.waitingCount) }
    }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let key = scope.key(of: request)
        try await enter(key, isUrgent: context.isMadeByUserCode)
        do {
            var response = try await next(request, context: context)
            response.body = response.body.observed(onEnd: { [self] _ in leave(key) })
            return response
        } catch {
            leave(key)
            throw error
        }
    }

    private func enter(_ key: Origin?, isUrgent: Bool) async throws(ApusError) {
        guard !Task.isCancelled else { throw CancelReason.task.error }
        switch gates.withLock({ $0.enter(key, isUrgent: isUrgent) }) {
        case .admitted: return
        case .waiting(let waiter):
            let withdraw = { @Sendable [self] waiter in gates.withLock { $0.withdraw(waiter, key) } }
            guard await waiter.wait(orWithdraw: withdraw) != nil else { throw CancelReason.task.error }
        case .refused:
            throw LimitExceeded(origin: key, wait: nil).error("\(limit) at once, and \(maximumWaiting) are waiting")
        }
    }

    private func leave(_ key: Origin?) {
        gates.withLock { $0.leave(key) }?.call(())
    }
}
