internal import Synchronization

/// Decides when the end of a session is reported: once, after the last event of its last request.
///
/// ```
///   open ── end ──→ ending ── the last request is finished ──→ reported   (none is unfinished: open → reported)
/// ```
struct SessionEndTracker {
    /// The session, and the error if it ended without a shutdown.
    typealias End = (session: SessionID, error: ApusError?)

    private enum State {
        case open
        case ending(End)
        case reported
    }

    private var state = State.open
    /// The number of requests that have sent events and are not finished.
    private var unfinished = 0

    /// Records the role of an event. Returns the session's end if it has to be reported after this event.
    ///
    /// `isUnfinished` is whether the event's request has sent events and is not finished. Each request has its own
    /// flag, because searching a set with each event would be slower. The flag is written under the dispatcher's lock.
    mutating func note(_ role: RequestEvent.Role, isUnfinished: borrowing Atomic<Bool>) -> End? {
        guard role == .beginning || role == .end else { return nil }
        let isBeginning = role == .beginning
        guard isUnfinished.load(ordering: .relaxed) != isBeginning else { return nil }
        isUnfinished.store(isBeginning, ordering: .relaxed)
        unfinished += isBeginning ? 1 : -1
        return due()
    }

    /// Records that the session ended, at the first call. Returns the end if it has to be reported now.
    mutating func end(_ session: SessionID, _ error: ApusError?) -> End? {
        guard case .open = state else { return nil }
        state = .ending((session, error))
        return due()
    }

    private mutating func due() -> End? {
        guard unfinished == 0, case .ending(let end) = state else { return nil }
        state = .reported
        return end
    }
}
