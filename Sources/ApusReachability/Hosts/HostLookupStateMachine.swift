/// The lookups of one host name, of which one runs at a time.
///
/// ```
///   idle ── begin ──→ running ── end ──→ idle
///                        │ ↑
///                  begin ↓ │ end: the next one begins, since the network has changed meanwhile
///                      outdated
/// ```
///
/// A lookup without an answer keeps the addresses of an earlier one, and makes a retry due, at most one at a time.
struct HostLookupStateMachine: Sendable {
    private enum Work {
        case idle
        case running
        case outdated
    }

    /// The work that follows the end of a lookup.
    struct Next: Equatable {
        /// Whether another lookup begins at once.
        var begins = false
        /// Whether a retry is to be scheduled.
        var retries = false
    }

    /// The latest useful outcome. `nil` before the first lookup has ended.
    private(set) var known: HostLookup?
    private var latest: HostLookup?
    private var work = Work.idle
    private var isRetryDue = false

    /// Requests a lookup. Returns whether it begins now.
    mutating func begin() -> Bool {
        guard work == .idle else {
            work = .outdated
            return false
        }
        work = .running
        return true
    }

    /// Requests a lookup, unless one runs. Returns whether it begins now.
    mutating func beginIfIdle() -> Bool { work == .idle && begin() }

    /// Whether no address is known.
    var lacksAddresses: Bool {
        if case .found? = known { return false }
        return true
    }

    /// Ends a lookup, and returns the work that follows. If `retries` is true, a lookup without an answer is repeated
    /// later.
    mutating func end(_ outcome: HostLookup, retries: Bool) -> Next {
        latest = outcome
        if outcome != .failed || lacksAddresses { known = outcome }
        var next = Next()
        if work == .outdated {
            work = .running
            next.begins = true
        } else {
            work = .idle
            if outcome == .failed, retries, !isRetryDue {
                isRetryDue = true
                next.retries = true
            }
        }
        return next
    }

    /// Ends the delay of a retry. Returns whether a lookup begins now, which it does not if it is no longer useful.
    mutating func retry(isUseful: Bool) -> Bool {
        isRetryDue = false
        guard isUseful, latest == .failed, work == .idle else { return false }
        return begin()
    }
}
