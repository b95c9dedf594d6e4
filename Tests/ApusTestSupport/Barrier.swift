internal import ApusCore

/// Suspends its callers until a test opens it, and lets the test wait for the first of them.
package final class Barrier: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [Deferred<Bool>] = []
    }

    private let arrival = Deferred<Bool>()
    private let state = Lock(State())

    package init() {}

    /// Waits until the barrier is open, even if the task is cancelled.
    package func pass() async {
        let opening = enter()
        _ = await opening.value
    }

    /// Waits until the barrier is open. Throws `CancellationError` if the task is cancelled.
    package func passUnlessCancelled() async throws {
        let opening = enter()
        await withTaskCancellationHandler {
            _ = await opening.value
        } onCancel: {
            opening.fulfill(true)
        }
        try Task.checkCancellation()
    }

    private func enter() -> Deferred<Bool> {
        let opening = Deferred<Bool>()
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(opening) }
            return state.isOpen
        }
        if isOpen { opening.fulfill(true) }
        arrival.fulfill(true)
        return opening
    }

    /// Returns when the first caller has arrived.
    package func reached() async { _ = await arrival.value }

    /// Resumes all callers, and lets all later ones pass.
    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.fulfill(true) }
    }
}
