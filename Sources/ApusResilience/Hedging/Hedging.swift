public import ApusCore
public import HTTPTypes

/// Sends a second, identical exchange if the response is late, and uses the response that arrives first. This helps the
/// few requests that hang in an overloaded server while others are served.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.middleware = [Hedging(percentile: 0.95, share: 0.05)]
/// ```
///
/// A request is late if its response head takes longer than the configured percentile of the last 128 latencies of its
/// origin. Until `minimumSamples` latencies are known, `fallbackDelay` is used instead. Then a second exchange starts,
/// with the cause `hedge`. The first response head wins, regardless of its status. The other exchange is cancelled and
/// its response is discarded. A request that fails before it is late is not hedged, since retrying is the task of a
/// retrier. If both exchanges fail, the error of the first is thrown, since a limiter may have rejected the second.
///
/// Only safe requests that can be sent twice are hedged: GET, HEAD, OPTIONS and QUERY, without a body or with a
/// replayable one. Only a share of an origin's requests is hedged, so that a server that is slow overall does not
/// receive every request twice.
///
/// ## Cancellation
/// Cancelling the request cancels both exchanges. The request returns after both have ended.
public final class Hedging: Middleware {
    /// The safe methods that are hedged by default: GET, HEAD, OPTIONS and QUERY.
    public static let safeMethods: Set<HTTPRequest.Method> = [.get, .head, .options, .query]

    /// The maximum number of origins that are remembered. Beyond it, the least recently used origins are forgotten.
    public static let maximumOrigins = 1024

    /// The latencies of an origin and its budget for hedges.
    private struct History: Sendable {
        var latencies = LatencyHistory()
        var budget: HedgeBudget
    }

    private let percentile: Double
    private let minimumSamples: Int
    private let fallbackDelay: Duration
    private let minimumDelay: Duration
    private let methods: Set<HTTPRequest.Method>
    private let budget: HedgeBudget
    private let histories: Lock<BoundedTable<Origin, History>>

    /// Creates a middleware without recorded latencies.
    ///
    /// - Parameters:
    ///   - percentile: The percentile of the recorded latencies above which a request is late, 0 to 1. Default: 0.95.
    ///   - share: The share of requests that may be hedged, from 0 to 1. At most ten hedges are saved up. Default: 0.1.
    ///   - minimumSamples: How many latencies must be recorded before the percentile is used, at most 128. Default: 20.
    ///   - fallbackDelay: The delay before a hedge while fewer latencies are recorded. Default: 1 s.
    ///   - minimumDelay: The minimum delay before a hedge. Default: 10 ms.
    ///   - methods: The methods whose requests are hedged. Default: GET, HEAD, OPTIONS and QUERY.
    public init(
        percentile: Double = 0.95,
        share: Double = 0.1,
        minimumSamples: Int = 20,
        fallbackDelay: Duration = .seconds(1),
        minimumDelay: Duration = .milliseconds(10),
        methods: Set<HTTPRequest.Method> = Hedging.safeMethods
    ) {
        self.percentile = max(0, min(1, percentile))
        self.minimumSamples = min(max(1, minimumSamples), LatencyHistory.capacity)
        self.fallbackDelay = fallbackDelay
        self.minimumDelay = minimumDelay
        self.methods = methods
        self.budget = HedgeBudget(share: share)
        self.histories = Lock(BoundedTable(limit: Self.maximumOrigins))
    }

    /// Returns the delay after which a request to this origin is currently late.
    public func delay(for origin: Origin) -> Duration {
        delay(histories.withLock { $0.value(of: origin)?.latencies } ?? LatencyHistory())
    }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        guard methods.contains(request.method), request.isIdempotent, !request.body.isReadOnce else {
            return try await next(request, context: context)
        }
        return try await race(request, context, next)
    }

    private func race(
        _ request: RequestMessage,
        _ context: RequestContext,
        _ next: Next
    ) async throws -> ResponseMessage {
        let origin = request.target.origin
        let time = context.time
        let begin = time.now
        let deadline = begin.advanced(by: begins(origin))
        let (outcome, winner) = await withTaskGroup(of: HedgeRace<ResponseMessage>.Event?.self) { group in
            group.addTask { await Self.run(.first, request, context, next) }
            group.addTask { await Self.isDue(at: deadline, time) ? .due : nil }
            var race = HedgeRace<ResponseMessage>()
            var hedgeBegin: MonotonicInstant?
            var winner: HedgeRace<ResponseMessage>.Runner?
            while let event = await group.next() {
                guard let event else { continue }
                let isDecided = race.outcome != nil
                switch race.take(event, mayHedge: { change(origin) { $0.budget.take() } }) {
                case .nothing: break
                case .startHedge:
                    hedgeBegin = time.now
                    group.addTask { await Self.run(.hedge, request, context, next) }
                case .finish: group.cancelAll()
                case .discard(let response): response.discard()
                }
                if !isDecided, case .ended(let runner, .success) = event {
                    winner = runner
                    note(runner, origin, from: begin, hedge: hedgeBegin, to: time.now)
                }
            }
            return (race.outcome, winner)
        }
        if winner == .hedge { context.creditHedge() }
        guard let outcome else { throw CancelReason.task.error }
        return try outcome.get()
    }

    private static func run(
        _ runner: HedgeRace<ResponseMessage>.Runner,
        _ request: RequestMessage,
        _ context: RequestContext,
        _ next: Next
    ) async -> HedgeRace<ResponseMessage>.Event {
        do {
            return .ended(runner, .success(try await next(request, context: context, because: runner.cause)))
        } catch {
            return .ended(runner, .failure(error))
        }
    }

    /// Returns `false` if the race was decided, and this task cancelled, before the deadline.
    private static func isDue(at deadline: MonotonicInstant, _ time: any SessionClock) async -> Bool {
        do {
            try await time.sleep(until: deadline)
            return true
        } catch {
            return false
        }
    }

    /// Records a new request and returns the delay after which it is late.
    private func begins(_ origin: Origin) -> Duration {
        change(origin) { history in
            history.budget.noteRequest()
            return delay(history.latencies)
        }
    }

    private func delay(_ latencies: LatencyHistory) -> Duration {
        guard latencies.count >= minimumSamples, let usual = latencies.percentile(percentile) else {
            return max(minimumDelay, fallbackDelay)
        }
        return max(minimumDelay, usual)
    }

    /// Records the latency of the winner. If the hedge won, the time of the first exchange so far is recorded too, as a
    /// lower bound: otherwise slow requests would drop out of the statistics and the delay would shrink each time.
    private func note(
        _ winner: HedgeRace<ResponseMessage>.Runner,
        _ origin: Origin,
        from begin: MonotonicInstant,
        hedge hedgeBegin: MonotonicInstant?,
        to end: MonotonicInstant
    ) {
        change(origin) { history in
            history.latencies.note(begin.duration(to: end))
            if winner == .hedge, let hedgeBegin { history.latencies.note(hedgeBegin.duration(to: end)) }
        }
    }

    @discardableResult
    private func change<Result: Sendable>(_ origin: Origin, _ change: (inout History) -> Result) -> Result {
        histories.withLock { $0.update(origin, default: History(budget: budget), change) }
    }
}

extension HedgeRace.Runner {
    /// The cause of the exchange. `nil` for the first, which keeps the cause of the request.
    fileprivate var cause: ExchangeCause? { self == .hedge ? .hedge : nil }
}
