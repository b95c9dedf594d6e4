/// The state of a session task, as its user sees it.
///
/// ```
///   idle → starting → begun → over         (resumed, sent, completed)
///   idle → over                            (cancelled before it began)
/// ```
///
/// Two flags are independent of it: whether the task should run, and whether it was cancelled.
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
        /// The code that is creating the handle reads the flag afterwards.
        case note
        /// The handle must be created.
        case begin
        /// The handle must be resumed or suspended to match the flag.
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
        /// The task has not started, so this ends it.
        case end
        /// The code that is creating the handle reads the flag afterwards.
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

    /// Stores the handle. Returns whether the task was cancelled since it was started.
    mutating func begin(_ handle: Handle) -> Bool {
        if case .starting = phase { phase = .begun(handle) }
        return isCancelled
    }

    enum EndAction {
        case ignore
        /// The task is complete. The handle, if there is one, can be released.
        case end(Handle?)
    }

    /// Records that the response is complete.
    mutating func end() -> EndAction {
        defer { phase = .over }
        switch phase {
        case .over: return .ignore
        case .idle, .starting: return .end(nil)
        case .begun(let handle): return .end(handle)
        }
    }
}
