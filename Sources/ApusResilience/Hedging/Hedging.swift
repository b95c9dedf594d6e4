public import ApusCore
public import HTTPTypes

/// Asks a second time where an answer is late, and takes the one that is first: for the few requests that hang in an
/// overloaded server while the others are served.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.middleware = [Hedging(percentile: 0.95, share: 0.05)]
/// ```
///
/// A request is late when its head takes longer than the percentile of the latest 128 requests to its origin, or longer
/// than `fallbackDelay` as long as too few are known. Then a second exchange begins, with the cause `hedge`. The first
/// head counts, whatever its status; the other exchange is cancelled, and its answer is discarded. A request that fails
/// before it is late is not hedged: retrying is for a retrier. If both exchanges fail, the error is that of the first,
/// since a limit may have refused the second.
///
/// Only requests that change nothing and can be sent twice are hedged: GET, HEAD, OPTIONS and QUERY, without content or
/// with one that can be replayed. Only a share of an origin's requests is hedged, so that a server that is slow as a
/// whole does not get every request twice.
///
/// ## Cancellation
/// Cancelling the request cancels both exchanges. It does not return before both are over.
public final class Hedging: Middleware {
    /// The methods that ask for something and change nothing: GET, HEAD, OPTIONS and QUERY.
    public static let safeMethods: Set<HTTPRequest.Method> = [.get, .head, .options, .query]

    /// How many origins are known; beyond it the one that was not asked for the longest is forgotten.
    public static let maximumOrigins = 1024

    /// What is known of an origin.
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

    /// Makes a middleware that knows no origin yet.
    ///
    /// - Parameters:
    ///   - percentile: The share of the known latencies above which a request is late, from 0 to 1; 0.95 by default.
    ///   - share: The share of the requests that may be hedged, from 0 to 1; 0.1 by default. Ten hedges at most are saved up.
    ///   - minimumSamples: How many latencies have to be known, at most 128; 20 by default.
    ///   - fallbackDelay: When a request is late as long as there are fewer; 1 s by default.
    ///   - minimumDelay: Before it no request is late; 10 ms by default.
    ///   - methods: The methods whose requests are hedged; GET, HEAD, OPTIONS and QUERY by default.
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

    /// After what time a request for an origin is late now.
    public func delay(for origin: Origin) -> Duration {
        delay(histories.withLock { $0.value(of: origin)?.latencies } ?? LatencyHistory())
    }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        guard methods.contains(request.method), !request.body.isReadOnce else {
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
                case .letGo(let answer): answer.discard()
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

    /// Returns `false` where there was an outcome before.
    private static func isDue(at deadline: MonotonicInstant, _ time: any RequestTime) async -> Bool {
        do {
            try await time.sleep(until: deadline)
            return true
        } catch {
            return false
        }
    }

    /// A request begins: when will it be late?
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

    /// Somebody has won. What the other has taken so far it would have taken at least: left out, slow requests would be
    /// forgotten, and each time a shorter one be late.
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
    /// What the exchange is said to be for; `nil` for what the request was for anyway.
    fileprivate var cause: HopCause? { self == .hedge ? .hedge : nil }
}
