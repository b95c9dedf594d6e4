/// The life of a session task, as its user sees it.
///
/// ```
///   idle → starting → begun → over         (resumed, asked for its answer, answered)
///   idle → over                            (cancelled before it began)
/// ```
///
/// Beside it go two wishes: whether it shall run, and whether it was cancelled.
struct SessionTaskStateMachine<Handle> {
    private enum Phase {
        case idle
        case starting
        case begun(Handle)
        case over
    }

    private var phase = Phase.idle
    private(set) var shallRun = false
    private(set) var isCancelled = false

    var state: SessionTask.State {
        switch phase {
        case .over: .completed
        case .idle, .starting, .begun: isCancelled ? .canceling : shallRun ? .running : .suspended
        }
    }

    enum WishAction {
        /// Nothing changes.
        case ignore
        /// Whoever is making the handle finds the wish.
        case note
        /// The handle is to be made.
        case begin
        /// The handle is to do as is wished.
        case settle(Handle)
    }

    mutating func resume() -> WishAction {
        guard !shallRun, !isCancelled else { return .ignore }
        switch phase {
        case .over: return .ignore
        case .idle:
            phase = .starting
            shallRun = true
            return .begin
        case .starting:
            shallRun = true
            return .note
        case .begun(let handle):
            shallRun = true
            return .settle(handle)
        }
    }

    mutating func suspend() -> WishAction {
        guard shallRun, !isCancelled else { return .ignore }
        switch phase {
        case .idle, .over: return .ignore
        case .starting:
            shallRun = false
            return .note
        case .begun(let handle):
            shallRun = false
            return .settle(handle)
        }
    }

    enum CancelAction {
        case ignore
        /// It had not begun: it ends with that.
        case end
        /// Whoever is making the handle finds the wish.
        case note
        case cancel(Handle)
    }

    mutating func cancel() -> CancelAction {
        guard !isCancelled else { return .ignore }
        switch phase {
        case .over: return .ignore
        case .idle:
            isCancelled = true
            return .end
        case .starting:
            isCancelled = true
            return .note
        case .begun(let handle):
            isCancelled = true
            return .cancel(handle)
        }
    }

    /// The handle was made, and asked for its answer; whether it was cancelled meanwhile.
    mutating func begin(_ handle: Handle) -> Bool {
        if case .starting = phase { phase = .begun(handle) }
        return isCancelled
    }

    enum EndAction {
        case ignore
        /// It is over now; the handle, where it had begun, can go.
        case end(Handle?)
    }

    /// The answer is there.
    mutating func end() -> EndAction {
        defer { phase = .over }
        switch phase {
        case .over: return .ignore
        case .idle, .starting: return .end(nil)
        case .begun(let handle): return .end(handle)
        }
    }
}
