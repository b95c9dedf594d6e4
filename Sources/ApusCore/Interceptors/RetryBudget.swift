/// How much of a session's traffic may be requests that go again, so that a server which is down is not hammered.
///
/// Each attempt puts a share of a retry into the budget, each retry takes a whole one out; what was put in is lost after
/// ten seconds. A few are allowed whatever the traffic. Copies share one budget.
public final class RetryBudget: Sendable {
    /// How long an attempt counts.
    public static let window = Duration.seconds(10)

    private struct State {
        /// Attempts and retries of the current second and of those before it, the oldest first.
        var slots: [(second: Int64, attempts: Int, retries: Int)] = []
    }

    private let share: Double
    private let minimum: Int
    private let state = Lock(State())

    /// Makes a budget.
    ///
    /// - Parameters:
    ///   - share: Of the attempts of the last ten seconds, how many may go again; 0.2 by default.
    ///   - minimum: How many retries in ten seconds are allowed whatever the traffic; 10 by default.
    public init(share: Double = 0.2, minimum: Int = 10) {
        self.share = share
        self.minimum = minimum
    }

    func noteAttempt(at now: MonotonicInstant) {
        state.withLock { Self.slot(&$0, now).attempts += 1 }
    }

    /// Takes a retry out; `false` where there is none.
    func takeRetry(at now: MonotonicInstant) -> Bool {
        state.withLock { state in
            Self.slot(&state, now)
            let attempts = state.slots.reduce(0) { $0 + $1.attempts }
            let retries = state.slots.reduce(0) { $0 + $1.retries }
            guard Double(retries) < max(Double(minimum), share * Double(attempts)) else { return false }
            state.slots[state.slots.count - 1].retries += 1
            return true
        }
    }
}
