/// Counts the attempts and retries of a session in the last 10 seconds, at requests that have retriers.
final class RetryLedger: Sendable {
    private struct State {
        /// A ring buffer with one entry for each second.
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

    /// Reserves a retry. Returns `false` if the budget is used up.
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
