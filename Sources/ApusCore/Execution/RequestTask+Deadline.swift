internal import Logging

/// The time that a request has: until its deadline, and after its cancellation.
extension RequestTask {
    /// Starts the timer of the deadline.
    ///
    /// - Parameter mayChange: Whether a message that is made or adapted later may set another one.
    func armDeadline(mayChange: Bool) {
        if let limit = core.timeLimit(for: source.options ?? context.options) {
            startDeadline(limit)
        } else if mayChange {
            context.noteStart()
        }
    }

    /// Applies the deadline of a message that was made later.
    func changeDeadline(to message: borrowing RequestMessage) {
        if let limit = context.changeLimit(core.timeLimit(for: message.options)) { startDeadline(limit) }
    }

    /// Starts the timer of a deadline. A request without one forms no weak reference, which would make all its other
    /// references slower.
    func startDeadline(_ limit: Duration) {
        context.startLimit(limit) { [weak self] in self?.cancel(.deadline($0)) }
        // The request may have ended while its message was made.
        if state.withLock({ $0.raw != nil }) { context.endLimit() }
    }

    /// Completes a cancelled request after a moment, even if its work does not return.
    func armPatience() {
        let instant = context.now.advanced(by: SessionCore.patience)
        let timer = DeadlineTimer(at: instant, in: core.environment) { [weak self] in _ = self?.abandon() }
        let old = state.withLock { state -> DeadlineTimer? in
            guard state.machine.work == .running else { return timer }
            defer { state.patienceTimer = timer }
            return state.patienceTimer
        }
        old?.cancel()
    }

    /// Completes a cancelled request whose work has not returned, because user code does not. Returns whether that was
    /// necessary. The work keeps its slot until it returns, and its result is discarded.
    func abandon() -> Bool {
        guard let reason = state.withLock({ $0.machine.abandon() }) else { return false }
        context.logger.warning("a cancelled request ends without its middleware, which has not returned")
        end(with: reason.error)
        return true
    }
}
