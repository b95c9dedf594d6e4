internal import ApusCore

/// The exchanges that hold a slot of a concurrency limiter, and those that wait for one.
///
/// ```
///            a permit is free, or it is urgent       a permit is returned
///   enters ────────────────────────────────→ inside ←──────────────────── waits
///     └ no permit is free: waits, or is refused if too many wait
/// ```
///
/// Urgent exchanges bypass the limit. When more are inside than the limit allows, one that leaves frees no slot.
struct ConcurrencyLimiterGates: Sendable {
    enum Entry: Sendable {
        case admitted
        case waiting(Waiter<Void>)
        case refused
    }

    /// Exists only while at least one exchange is inside.
    private struct Gate: Sendable {
        var inside = 0
        var waiting = WaiterQueue<Void>()
    }

    private let limit: Int
    private let maximumWaiting: Int
    private var gates: [Origin?: Gate] = [:]
    private(set) var waitingCount = 0

    init(limit: Int, maximumWaiting: Int) {
        self.limit = limit
        self.maximumWaiting = maximumWaiting
    }

    /// The number of exchanges inside.
    var insideCount: Int { gates.values.reduce(0) { $0 + $1.inside } }

    /// Admits, queues or rejects an exchange. An urgent one must not wait, since exchanges inside may wait for it.
    mutating func enter(_ key: Origin?, isUrgent: Bool = false) -> Entry {
        if isUrgent || gates[key, default: Gate()].inside < limit {
            gates[key, default: Gate()].inside += 1
            return .admitted
        }
        guard waitingCount < maximumWaiting else { return .refused }
        let waiter = Waiter<Void>()
        gates[key]?.waiting.append(waiter)
        waitingCount += 1
        return .waiting(waiter)
    }

    /// Removes an exchange. Its slot is passed on, unless more exchanges are inside than the limit allows.
    ///
    /// - Returns: The waiter that receives the slot, if any.
    mutating func leave(_ key: Origin?) -> Waiter<Void>? {
        guard var gate = gates[key] else { return nil }
        gates[key] = nil
        let next = gate.inside <= limit ? gate.waiting.popFirst() : nil
        if next == nil { gate.inside -= 1 } else { waitingCount -= 1 }
        if gate.inside > 0 { gates[key] = gate }
        return next
    }

    /// Removes a cancelled waiter. Returns `false` if it is already inside.
    mutating func withdraw(_ waiter: Waiter<Void>, _ key: Origin?) -> Bool {
        guard gates[key]?.waiting.withdraw(waiter) == true else { return false }
        waitingCount -= 1
        return true
    }
}
