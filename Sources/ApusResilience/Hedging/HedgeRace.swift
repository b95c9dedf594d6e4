/// One request and perhaps a second of the same, until it is decided whose answer counts.
///
/// ```
///           the delay is over,            one fails              the other fails: the first's error
///           and the budget allows it
///   alone ──────────────────────→ two ──────────────→ one left ──────────────────────────────────┐
///     │ it answers or fails        │ one answers          │ it answers                            │
///     └──────────────────────────→ decided ←──────────────┴───────────────────────────────────────┘
/// ```
struct HedgeRace<Answer: Sendable>: Sendable {
    enum Runner: Sendable {
        case first
        case hedge
    }

    enum Event: Sendable {
        /// The delay is over.
        case due
        case ended(Runner, Result<Answer, any Error>)
    }

    enum Action {
        case nothing
        case startHedge
        /// There is an outcome: who still runs is to be cancelled.
        case finish
        /// An answer came too late.
        case letGo(Answer)
    }

    private(set) var outcome: Result<Answer, any Error>?
    private var isHedged = false
    /// Of who failed while the other still runs.
    private var failure: (runner: Runner, error: any Error)?

    mutating func take(_ event: Event, mayHedge: () -> Bool) -> Action {
        switch event {
        case .due:
            guard outcome == nil, !isHedged, mayHedge() else { return .nothing }
            isHedged = true
            return .startHedge
        case .ended(_, .success(let answer)):
            guard outcome == nil else { return .letGo(answer) }
            outcome = .success(answer)
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
            // A hedge may have been refused; the request's own error says more.
            outcome = .failure(runner == .first ? error : failure.error)
        }
        return .finish
    }
}
