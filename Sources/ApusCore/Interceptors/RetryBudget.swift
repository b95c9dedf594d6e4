/// Limits how many requests of a session are retried, so that a server that is down gets no flood of retries: to a
/// share of the attempts at requests that have a retrier. Requests without one do not count.
///
/// Only `RetryPolicy` keeps to it. The decisions of other retriers are always followed.
public struct RetryBudget: Sendable, Hashable {
    /// How long an attempt, or a retry, counts: ten seconds.
    public static let window = Duration.seconds(10)

    /// How many retries there may be for each attempt of the last ten seconds, at a request that has a retrier. 0.2.
    public var share: Double
    /// How many retries there may be in ten seconds however few attempts there were. 10.
    public var minimum: Int

    /// Makes a budget.
    ///
    /// - Parameters:
    ///   - share: How many retries there may be for each attempt of the last ten seconds, at a request that has a retrier;
    ///     0.2 by default.
    ///   - minimum: How many there may be in ten seconds however few attempts there were; 10 by default.
    public init(share: Double = 0.2, minimum: Int = 10) {
        self.share = share
        self.minimum = minimum
    }
}

/// The attempts of a session in the last ten seconds, at requests that have retriers, and its retries.
final class RetryLedger: Sendable {
    private struct State {
        /// A slot a second, over and over.
        var slots = [Slot](repeating: Slot(), count: Int(RetryBudget.window.components.seconds))

        mutating func slot(at second: UInt64) -> Int {
            let index = Int(second % UInt64(slots.count))
            if slots[index].second != second { slots[index] = Slot(second: second) }
            return index
        }

        func total(at second: UInt64) -> Slot {
            slots.reduce(into: Slot()) { total, slot in
                guard slot.second + UInt64(slots.count) > second else { return }
                total.attempts += slot.attempts
                total.retries += slot.retries
            }
        }
    }

    private struct Slot {
        var second: UInt64 = 0
        var attempts = 0
        var retries = 0
    }

    private let budget: RetryBudget
    private let state = Lock(State())

    init(_ budget: RetryBudget) {
        self.budget = budget
    }

    func noteAttempt(at now: MonotonicInstant) {
        state.withLock { state in
            let slot = state.slot(at: now.nanoseconds / 1_000_000_000)
            state.slots[slot].attempts += 1
        }
    }

    /// Takes a retry out; `false` where there is none.
    func takeRetry(at now: MonotonicInstant) -> Bool {
        state.withLock { state in
            let second = now.nanoseconds / 1_000_000_000
            let slot = state.slot(at: second)
            let total = state.total(at: second)
            let allowed = max(Double(budget.minimum), budget.share * Double(total.attempts))
            guard Double(total.retries) < allowed else { return false }
            state.slots[slot].retries += 1
            return true
        }
    }
}
