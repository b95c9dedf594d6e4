internal import ApusCore

/// Counts the recent exchanges and how many of them failed, in ten time slots. Old slots expire as new ones begin.
struct FailureWindow: Sendable {
    static let slotCount: UInt64 = 10

    private struct Slot {
        /// The number of the slot, counted since the clock began.
        var number: UInt64 = 0
        var total = 0
        var failures = 0
    }

    private let slotNanoseconds: UInt64
    private var slots = [Slot](repeating: Slot(), count: Int(slotCount))

    init(_ duration: Duration) {
        self.slotNanoseconds = max(1, UInt64(clamping: duration.wholeNanoseconds) / Self.slotCount)
    }

    mutating func note(isFailure: Bool, at now: MonotonicInstant) {
        let number = now.nanoseconds / slotNanoseconds
        let index = Int(number % Self.slotCount)
        if slots[index].number != number { slots[index] = Slot(number: number) }
        slots[index].total += 1
        if isFailure { slots[index].failures += 1 }
    }

    func counts(at now: MonotonicInstant) -> (total: Int, failures: Int) {
        let number = now.nanoseconds / slotNanoseconds
        return slots.reduce(into: (0, 0)) { counts, slot in
            guard number < slot.number + Self.slotCount else { return }
            counts.0 += slot.total
            counts.1 += slot.failures
        }
    }
}
