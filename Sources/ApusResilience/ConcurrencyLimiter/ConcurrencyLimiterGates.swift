internal import ApusCore
internal import DequeModule

/// Who is on the way past a concurrency limiter, and who waits to be.
///
/// ```
///            a permit is free                        a permit comes back
///   comes ─────────────────────→ inside ←───────────────────────────────── waits
///     └ none is: waits, or is refused where too many do
/// ```
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
        var waiting = Deque<Applicant>()
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

    mutating func enter(_ key: Origin?) -> Entry {
        if gates[key, default: Gate()].inside < limit {
            gates[key, default: Gate()].inside += 1
            return .admitted
        }
        guard waitingCount < maximumWaiting else { return .refused }
        let applicant = Applicant()
        gates[key]?.waiting.append(applicant)
        waitingCount += 1
        return .waiting(applicant)
    }

    /// A permit comes back.
    ///
    /// - Returns: Who has it now.
    mutating func leave(_ key: Origin?) -> Applicant? {
        if let next = gates[key]?.waiting.popFirst() {
            waitingCount -= 1
            return next
        }
        gates[key]?.inside -= 1
        if gates[key]?.inside == 0 { gates[key] = nil }
        return nil
    }

    /// An applicant gives up; `false` where it is inside already.
    mutating func withdraw(_ applicant: Applicant, _ key: Origin?) -> Bool {
        guard let index = gates[key]?.waiting.firstIndex(where: { $0 === applicant }) else { return false }
        gates[key]?.waiting.remove(at: index)
        waitingCount -= 1
        return true
    }
}
