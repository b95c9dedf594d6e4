internal import Synchronization

/// When the end of a session is told: once, behind the last event of its last request.
///
/// ```
///   open ── end ──→ ending ── the last request is finished ──→ told       (none is unfinished: open → told)
/// ```
struct SessionEnding {
    /// Which session, and why it ended where nobody had shut it down.
    typealias End = (session: SessionID, error: ApusError?)

    private enum State {
        case open
        case ending(End)
        case told
    }

    private var state = State.open
    /// How many requests have told something and are not finished.
    private var unfinished = 0

    /// Notes what an event is; returns the end where it is to be told behind it.
    ///
    /// `isUnfinished`: whether its request has told something and is not finished. Each request has its own: a set of all
    /// would be looked through with each event. It is written under the lock of its pump.
    mutating func note(_ role: RequestEvent.Role, isUnfinished: borrowing Atomic<Bool>) -> End? {
        guard role == .beginning || role == .end else { return nil }
        let isBeginning = role == .beginning
        guard isUnfinished.load(ordering: .relaxed) != isBeginning else { return nil }
        isUnfinished.store(isBeginning, ordering: .relaxed)
        unfinished += isBeginning ? 1 : -1
        return due()
    }

    /// The session has ended, the first time that this is said; returns the end where it is to be told now.
    mutating func end(_ session: SessionID, _ error: ApusError?) -> End? {
        guard case .open = state else { return nil }
        state = .ending((session, error))
        return due()
    }

    private mutating func due() -> End? {
        guard unfinished == 0, case .ending(let end) = state else { return nil }
        state = .told
        return end
    }
}
