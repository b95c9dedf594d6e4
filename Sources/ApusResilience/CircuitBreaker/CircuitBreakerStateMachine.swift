internal import ApusCore

/// The circuit of one origin.
///
/// ```
///            too large a share of the exchanges failed
///   closed ────────────────────────────────────────────→ open ←──────────────┐
///     ↑                                                   │ openDuration ends,│ a trial failed
///     │                                                   ↓ and a request comes
///     └──────────── required trials succeeded ─────── half-open ──────────────┘
/// ```
///
/// An exchange counts only in the state in which it began. Its ticket holds the number of that round.
struct CircuitBreakerStateMachine: Sendable {
    struct Rules: Sendable {
        var failureShare: Double
        var minimumRequests: Int
        var window: Duration
        var openDuration: Duration
        var trials: Int
    }

    /// Identifies the round in which an exchange was admitted. It is passed back when the exchange ends.
    struct Ticket: Sendable, Hashable {
        let round: Int
    }

    enum Admission: Sendable, Hashable {
        case admitted(Ticket)
        /// `nil` if the request is rejected because enough trials are running, and not until a known time.
        case refused(until: MonotonicInstant?)
    }

    enum Outcome: Sendable, Hashable {
        case success
        /// A failure, with a description of its cause.
        case failure(String)
        /// The outcome does not count for or against the host.
        case neither
    }

    private enum Phase {
        case closed
        case open(until: MonotonicInstant)
        case halfOpen(underWay: Int, succeeded: Int)
    }

    private let rules: Rules
    private var phase = Phase.closed
    /// The exchanges recorded since the circuit last closed.
    private var window: FailureWindow
    private var round = 0
    /// A description of why the circuit last opened.
    private(set) var reason = ""

    init(_ rules: Rules) {
        self.rules = rules
        self.window = FailureWindow(rules.window)
    }

    var state: CircuitBreaker.State {
        switch phase {
        case .closed: .closed
        case .open(let end): .open(until: end)
        case .halfOpen: .halfOpen
        }
    }

    /// Admits an exchange or rejects it.
    mutating func admit(at now: MonotonicInstant) -> Admission {
        switch phase {
        case .closed:
            return .admitted(Ticket(round: round))
        case .open(let end):
            guard now >= end else { return .refused(until: end) }
            enter(.halfOpen(underWay: 1, succeeded: 0))
            return .admitted(Ticket(round: round))
        case .halfOpen(let underWay, let succeeded):
            guard underWay + succeeded < rules.trials else { return .refused(until: nil) }
            phase = .halfOpen(underWay: underWay + 1, succeeded: succeeded)
            return .admitted(Ticket(round: round))
        }
    }

    /// Records the outcome of an exchange, or a later failure of its body.
    mutating func note(_ outcome: Outcome, _ ticket: Ticket, at now: MonotonicInstant) {
        guard ticket.round == round else { return }
        switch phase {
        case .closed: note(outcome, at: now)
        case .open: break
        case .halfOpen(let underWay, let succeeded):
            switch outcome {
            case .success where succeeded + 1 >= rules.trials: close()
            case .success: phase = .halfOpen(underWay: underWay - 1, succeeded: succeeded + 1)
            case .failure(let cause): open("a trial failed with \(cause)", at: now)
            case .neither: phase = .halfOpen(underWay: underWay - 1, succeeded: succeeded)
            }
        }
    }

    private mutating func note(_ outcome: Outcome, at now: MonotonicInstant) {
        switch outcome {
        case .neither: break
        case .success: window.note(isFailure: false, at: now)
        case .failure(let cause):
            window.note(isFailure: true, at: now)
            let (total, failures) = window.counts(at: now)
            guard total >= rules.minimumRequests, Double(failures) >= rules.failureShare * Double(total) else { return }
            let share = "\(failures) of \(total) exchanges within \(rules.window.formatted)"
            open("\(share) failed, the last with \(cause)", at: now)
        }
    }

    private mutating func open(_ reason: String, at now: MonotonicInstant) {
        self.reason = reason
        enter(.open(until: now.advanced(by: rules.openDuration)))
    }

    private mutating func close() {
        window = FailureWindow(rules.window)
        enter(.closed)
    }

    private mutating func enter(_ phase: Phase) {
        round += 1
        self.phase = phase
    }
}
