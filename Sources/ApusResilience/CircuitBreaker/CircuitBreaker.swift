public import ApusCore
internal import HTTPTypes

/// Fails requests to an origin immediately while that origin is down. The circuit opens when too large a share of the
/// exchanges with an origin fails, and closes again after trial requests have succeeded.
///
/// ```swift
/// let breaker = CircuitBreaker(openDuration: .seconds(10), onChange: { print($0) })
/// var configuration = Session.Configuration()
/// configuration.networkMiddleware = [breaker]
/// ```
///
/// Add it to `networkMiddleware`, where it sees each exchange and its origin. In `middleware` it judges each attempt as
/// a whole, by the request's original origin. Each origin has its own circuit, in one of three states:
///
/// - **closed**: Requests are sent. The circuit opens when at least `minimumRequests` exchanges ended within `window`
///   and the share `failureShare` of them failed.
/// - **open**: Requests fail immediately with the code `circuitOpen`. The error's `underlying` is an `OpenCircuit` with
///   the time until the next try. The first request after `openDuration` makes the circuit half open.
/// - **half open**: Up to `trials` requests are sent, and further ones fail as above. The circuit closes when that many
///   have succeeded, and opens again when one fails.
///
/// The response head decides whether an exchange is a success or a failure. A body that fails later is a failure too.
/// An exchange that is cancelled by its task, by the user or by its deadline counts as neither. If it was a trial,
/// another request may take its place. To keep trials from waiting, put a `ConcurrencyLimiter` ahead of the breaker.
///
/// Copies of a configuration, and the sessions created with them, share one breaker.
public final class CircuitBreaker: Middleware {
    /// How the circuit of an origin treats its requests.
    public enum State: Sendable, Hashable {
        /// Requests are sent.
        case closed
        /// Requests fail, at least until this time.
        case open(until: MonotonicInstant)
        /// A limited number of trial requests is sent.
        case halfOpen
    }

    /// The maximum number of origins that are remembered. Beyond it, the least recently used origins are forgotten.
    public static let maximumOrigins = 1024

    /// The statuses that count as failures by default: 500, 502, 503 and 504.
    public static let failureStatuses: Set<Int> = [500, 502, 503, 504]

    /// Whether an error counts as a failure of the host. True for errors in resolving, connecting, TLS, sending or
    /// receiving, unless they were caused locally.
    public static let isFailure: @Sendable (ApusError) -> Bool = { error in
        [.resolve, .connect, .tls, .send, .receive].contains(error.phase) && error.blame != .local
    }

    private typealias Circuits = BoundedTable<Origin, CircuitBreakerStateMachine>

    private let rules: CircuitBreakerStateMachine.Rules
    private let statuses: Set<Int>
    private let isFailure: @Sendable (ApusError) -> Bool
    private let onChange: (@Sendable (CircuitChange) -> Void)?
    private let circuits: Lock<Circuits>

    /// Creates a breaker with all circuits closed.
    ///
    /// - Parameters:
    ///   - failureShare: The share of failed exchanges that opens a circuit, from 0 to 1. Default: 0.5.
    ///   - minimumRequests: The minimum number of exchanges before `failureShare` applies. Default: 20.
    ///   - window: How long an exchange counts, to within a tenth of this duration. Default: 30 s.
    ///   - openDuration: How long a circuit stays open before a trial is sent. Default: 30 s.
    ///   - trials: How many trial requests are sent, all of which must succeed. Default: 1.
    ///   - statuses: The statuses that count as failures. Default: 500, 502, 503 and 504.
    ///   - isFailure: Whether an error counts as a failure. Default: `CircuitBreaker.isFailure`.
    ///   - onChange: Called for each state change, in the task of the request that caused it. Default: `nil`.
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

    /// Returns the current state of an origin's circuit. A circuit whose `openDuration` is over is still open until the
    /// next request makes it half open.
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
            response.body = response.body.observed(onEnd: { [self] ending in
                guard case .failed(let error) = ending, case .failure(let cause) = outcome(of: error) else { return }
                note(.failure(cause), ticket, of: origin, at: time.now)
            })
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

    /// Updates a circuit and reports the change if its state is different afterwards.
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
