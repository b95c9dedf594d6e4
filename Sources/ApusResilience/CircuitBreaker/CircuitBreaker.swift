public import ApusCore
internal import HTTPTypes

/// Spares a host that is down, and whoever asks it: once too large a share of the exchanges with an origin has failed,
/// requests for it fail at once, until a trial has succeeded.
///
/// ```swift
/// let breaker = CircuitBreaker(openDuration: .seconds(10), onChange: { print($0) })
/// var configuration = Session.Configuration()
/// configuration.networkMiddleware = [breaker]
/// ```
///
/// It belongs into `networkMiddleware`, where it sees every exchange with the origin that it is with; in `middleware` it
/// judges whole requests by the origin that they were for at first. Each origin has a circuit of its own:
///
/// - **closed**: requests pass. It opens when there were at least `minimumRequests` within `window`, and the share
///   `failureShare` of them has failed.
/// - **open**: requests fail at once with the code `circuitOpen`; `underlying` is an `OpenCircuit`, which says when it is worth
///   another try. After `openDuration` it is half open with the next request.
/// - **half open**: `trials` requests pass, the others fail as before. It closes when as many have succeeded, and opens again
///   when one fails.
///
/// The head of an exchange decides whether it is a success or a failure; a content that breaks off is one more failure.
/// An exchange that was cancelled, by its task, its user or its deadline, counts as neither; if it was a trial, another
/// request becomes the trial. A trial should not have to wait: put a `ConcurrencyLimiter` ahead of the breaker.
///
/// Copies of a configuration share one breaker, and so do sessions.
public final class CircuitBreaker: Middleware {
    /// What becomes of requests for an origin.
    public enum State: Sendable, Hashable {
        /// They are sent.
        case closed
        /// They fail, until then at least.
        case open(until: MonotonicInstant)
        /// Some are sent to find out.
        case halfOpen
    }

    /// How many origins are known; beyond it the one that was not asked for the longest is forgotten.
    public static let maximumOrigins = 1024

    /// 500, 502, 503 and 504.
    public static let failureStatuses: Set<Int> = [500, 502, 503, 504]

    /// Whether an error is held against a host: one of resolving, connecting, TLS, sending or receiving which this side is not
    /// to blame for.
    public static let isFailure: @Sendable (ApusError) -> Bool = { error in
        [.resolve, .connect, .tls, .send, .receive].contains(error.phase) && error.blame != .local
    }

    private typealias Circuits = BoundedTable<Origin, CircuitBreakerStateMachine>

    private let rules: CircuitBreakerStateMachine.Rules
    private let statuses: Set<Int>
    private let isFailure: @Sendable (ApusError) -> Bool
    private let onChange: (@Sendable (CircuitChange) -> Void)?
    private let circuits: Lock<Circuits>

    /// Makes a breaker all of whose circuits are closed.
    ///
    /// - Parameters:
    ///   - failureShare: The share of failures that opens a circuit, from 0 to 1; 0.5 by default.
    ///   - minimumRequests: How many exchanges there have to be before that share counts; 20 by default.
    ///   - window: How long an exchange counts, to a tenth of it; 30 s by default.
    ///   - openDuration: How long nothing is sent; 30 s by default.
    ///   - trials: How many requests are let through then, and have to succeed; 1 by default.
    ///   - statuses: The statuses that are failures; 500, 502, 503 and 504 by default.
    ///   - isFailure: Whether an error is one; `CircuitBreaker.isFailure` by default.
    ///   - onChange: Told of each change, in the task of the request that brought it about; nobody by default.
    public init(
        failureShare: Double = 0.5,
        minimumRequests: Int = 20,
        window: Duration = .seconds(30),
        openDuration: Duration = .seconds(30),
        trials: Int = 1,
        statuses: Set<Int> = CircuitBreaker.failureStatuses,
        isFailure: @escaping @Sendable (ApusError) -> Bool = CircuitBreaker.isFailure,
        onChange: (@Sendable (CircuitChange) -> Void)? = nil
    ) {
        self.rules = CircuitBreakerStateMachine.Rules(
            failureShare: failureShare,
            minimumRequests: minimumRequests,
            window: window,
            openDuration: openDuration,
            trials: max(1, trials)
        )
        self.statuses = statuses
        self.isFailure = isFailure
        self.onChange = onChange
        self.circuits = Lock(Circuits(limit: Self.maximumOrigins))
    }

    /// What becomes of requests for an origin now. One that is open, and whose time is over, is half open with the next
    /// request.
    public func state(of origin: Origin) -> State {
        circuits.withLock { $0.value(of: origin)?.state ?? .closed }
    }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let origin = request.target.origin
        let time = context.time
        let ticket = try admit(origin, at: time.now)
        do {
            var response = try await next(request, context: context)
            if statuses.contains(response.status.code) {
                note(.failure("status \(response.status.code)"), ticket, of: origin, at: time.now)
                return response
            }
            note(.success, ticket, of: origin, at: time.now)
            response.body = response.body.watched { [self] ending in
                guard case .failed(let error) = ending, case .failure(let cause) = outcome(of: error) else { return }
                note(.failure(cause), ticket, of: origin, at: time.now)
            }
            return response
        } catch {
            note(outcome(of: error), ticket, of: origin, at: time.now)
            throw error
        }
    }

    private func outcome(of error: any Error) -> CircuitBreakerStateMachine.Outcome {
        guard let error = error as? ApusError, error.phase != .cancelled, !Task.isCancelled, isFailure(error) else {
            return .neither
        }
        return .failure(error.code.name)
    }

    private func admit(
        _ origin: Origin,
        at now: MonotonicInstant
    ) throws(ApusError) -> CircuitBreakerStateMachine.Ticket {
        let (admission, reason) = change(origin) { ($0.admit(at: now), $0.reason) }
        switch admission {
        case .admitted(let ticket): return ticket
        case .refused(let end):
            let remaining = end.map { now.duration(to: $0) }
            throw OpenCircuit(origin: origin, reason: reason, remaining: remaining).error
        }
    }

    private func note(
        _ outcome: CircuitBreakerStateMachine.Outcome,
        _ ticket: CircuitBreakerStateMachine.Ticket,
        of origin: Origin,
        at now: MonotonicInstant
    ) {
        change(origin) { $0.note(outcome, ticket, at: now) }
    }

    /// Changes a circuit, and tells of it where that made another state.
    @discardableResult
    private func change<Result: Sendable>(
        _ origin: Origin,
        _ change: (inout CircuitBreakerStateMachine) -> Result
    ) -> Result {
        let (result, news) = circuits.withLock { circuits in
            circuits.update(origin, default: CircuitBreakerStateMachine(rules)) { circuit in
                let before = circuit.state
                let result = change(&circuit)
                let after = circuit.state
                guard after != before else { return (result, nil as CircuitChange?) }
                return (result, CircuitChange(origin: origin, from: before, to: after, reason: circuit.reason))
            }
        }
        if let news { onChange?(news) }
        return result
    }
}
