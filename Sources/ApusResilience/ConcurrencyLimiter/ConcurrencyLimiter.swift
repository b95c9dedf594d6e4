public import ApusCore
internal import HTTPTypes

/// Has no more than so many exchanges on their way at once, and has the others wait for their turn.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.networkMiddleware = [ConcurrencyLimiter(4)]
/// ```
///
/// An exchange is on its way until its content was read to its end, failed, or was let go of, and not merely until its head
/// is here: a program that holds four contents unread has no fifth exchange. Who finds the limit reached waits, first come,
/// first served; with `maximumWaiting` in front of it a request fails at once, with the code `middlewareFailed` and a
/// `LimitExceeded` underneath. How long it waits is limited by the deadline of the request alone.
///
/// A request that user code makes while another request waits for that code (an adapter, a retrier, a redirect handler,
/// a middleware) is sent at once, above the limit: the requests that wait for a token may hold every permit.
///
/// It belongs into `networkMiddleware`, where it counts exchanges; in `middleware` it counts requests, each with what
/// follows from it. It stands ahead of a `CircuitBreaker`, whose trials would wait else. Copies of a configuration share one limiter, and so do sessions.
///
/// ## Cancellation
/// A request that is cancelled while it waits leaves the line.
public final class ConcurrencyLimiter: Middleware {
    private let limit: Int
    private let maximumWaiting: Int
    private let scope: LimitScope
    private let gates: Lock<ConcurrencyLimiterGates>

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - limit: How many exchanges there may be at once; at least 1.
    ///   - scope: Whether each origin has that many, which is the default, or all together.
    ///   - maximumWaiting: How many may wait, in all lines together; 1024 by default.
    public init(_ limit: Int, scope: LimitScope = .eachOrigin, maximumWaiting: Int = 1024) {
        self.limit = max(1, limit)
        self.maximumWaiting = maximumWaiting
        self.scope = scope
        self.gates = Lock(ConcurrencyLimiterGates(limit: max(1, limit), maximumWaiting: maximumWaiting))
    }

    /// How many exchanges are on their way, and how many wait.
    public var counts: (onTheirWay: Int, waiting: Int) {
        gates.withLock { ($0.insideCount, $0.waitingCount) }
    }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let key = scope.key(of: request)
        try await enter(key, isUrgent: context.isAskedForByUserCode)
        do {
            var response = try await next(request, context: context)
            response.body = response.body.watched { [self] _ in leave(key) }
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
        case .waiting(let applicant):
            let withdraw = { @Sendable [self] applicant in gates.withLock { $0.withdraw(applicant, key) } }
            guard await applicant.wait(orWithdraw: withdraw) != nil else { throw CancelReason.task.error }
        case .refused:
            throw LimitExceeded(origin: key, wait: nil).error("\(limit) at once, and \(maximumWaiting) wait already")
        }
    }

    private func leave(_ key: Origin?) {
        gates.withLock { $0.leave(key) }?.call(())
    }
}
