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
    /// The requests that have told something and are not finished.
    private var unfinished: Set<RequestID> = []

    /// Notes an event; returns the end where it is to be told behind it.
    mutating func note(_ event: RequestEvent, of request: RequestID) -> End? {
        if case .told = state { return nil }
        switch event {
        // What comes first. Who asks for something after the end, and gives that up, begins and finishes once more.
        case .resumed, .cancelled, .created, .creationFailed: unfinished.insert(request)
        case .finished: unfinished.remove(request)
        default: return nil
        }
        return due()
    }

    /// The session has ended, the first time that this is said; returns the end where it is to be told now.
    mutating func end(_ session: SessionID, _ error: ApusError?) -> End? {
        guard case .open = state else { return nil }
        state = .ending((session, error))
        return due()
    }

    private mutating func due() -> End? {
        guard unfinished.isEmpty, case .ending(let end) = state else { return nil }
        state = .told
        return end
    }
}
