internal import ApusCore

/// Who is on the way past a concurrency limiter, and who waits to be.
///
/// ```
///            a permit is free, or it is urgent       a permit comes back
///   comes ─────────────────────────────────→ inside ←──────────────────── waits
///     └ none is: waits, or is refused where too many do
/// ```
///
/// What is urgent is let in above the limit; who leaves then leaves no permit behind.
struct ConcurrencyLimiterGates: Sendable {
    typealias Applicant = Waiter<Void>

    enum Entry: Sendable {
        case admitted
        case waiting(Applicant)
        case refused
    }

    /// There is one while somebody is inside.
    private struct Gate: Sendable {
        var inside = 0
        var waiting = WaitingLine<Void>()
    }

    private let limit: Int
    private let maximumWaiting: Int
    private var gates: [Origin?: Gate] = [:]
    private(set) var waitingCount = 0

    init(limit: Int, maximumWaiting: Int) {
        self.limit = limit
        self.maximumWaiting = maximumWaiting
    }

    /// How many are inside.
    var insideCount: Int { gates.values.reduce(0) { $0 + $1.inside } }

    /// Somebody comes; who is urgent must not wait, since those may wait for it who are inside.
    mutating func enter(_ key: Origin?, isUrgent: Bool = false) -> Entry {
        if isUrgent || gates[key, default: Gate()].inside < limit {
            gates[key, default: Gate()].inside += 1
            return .admitted
        }
        guard waitingCount < maximumWaiting else { return .refused }
        let applicant = Applicant()
        gates[key]?.waiting.append(applicant)
        waitingCount += 1
        return .waiting(applicant)
    }

    /// Somebody is done, and a permit comes back, unless more are inside than there are permits.
    ///
    /// - Returns: Who has it now.
    mutating func leave(_ key: Origin?) -> Applicant? {
        guard var gate = gates[key] else { return nil }
        gates[key] = nil
        let next = gate.inside <= limit ? gate.waiting.popFirst() : nil
        if next == nil { gate.inside -= 1 } else { waitingCount -= 1 }
        if gate.inside > 0 { gates[key] = gate }
        return next
    }

    /// An applicant gives up; `false` where it is inside already.
    mutating func withdraw(_ applicant: Applicant, _ key: Origin?) -> Bool {
        guard gates[key]?.waiting.withdraw(applicant) == true else { return false }
        waitingCount -= 1
        return true
    }
}
