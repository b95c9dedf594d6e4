/// A request and, if it is hedged, its second exchange, until one outcome is decided.
///
/// ```
///           the delay has passed,         one fails              the other fails: the first's error
///           and the budget allows it
///   alone ──────────────────────→ two ──────────────→ one left ──────────────────────────────────┐
///     │ it responds or fails       │ one responds         │ it responds                           │
///     └──────────────────────────→ decided ←──────────────┴───────────────────────────────────────┘
/// ```
struct HedgeRace<Response: Sendable>: Sendable {
    enum Runner: Sendable {
        case first
        case hedge
    }

    enum Event: Sendable {
        /// The delay is over.
        case due
        case ended(Runner, Result<Response, any Error>)
    }

    enum Action {
        case nothing
        case startHedge
        /// The outcome is decided. The exchange that still runs must be cancelled.
        case finish
        /// A response arrived after the outcome was decided.
        case discard(Response)
    }

    private(set) var outcome: Result<Response, any Error>?
    private var isHedged = false
    /// The exchange that failed while the other still runs, and its error.
    private var failure: (runner: Runner, error: any Error)?

    mutating func take(_ event: Event, mayHedge: () -> Bool) -> Action {
        switch event {
        case .due:
            guard outcome == nil, !isHedged, mayHedge() else { return .nothing }
            isHedged = true
            return .startHedge
        case .ended(_, .success(let response)):
            guard outcome == nil else { return .discard(response) }
            outcome = .success(response)
        case .ended(let runner, .failure(let error)):
            guard outcome == nil else { return .nothing }
            guard let failure else {
                guard !isHedged else {
                    failure = (runner, error)
                    return .nothing
                }
                outcome = .failure(error)
                return .finish
            }
            // Prefer the error of the first exchange, since a limiter may have rejected the hedge.
            outcome = .failure(runner == .first ? error : failure.error)
        }
        return .finish
    }
}
