internal import ApusCore

/// Synchronizes a test and a script: one waits until the other opens the gate. It then stays open.
///
/// For example, a connection that is kept open until the test has checked the client:
///
///     let gate = Gate()
///     let server = try await TestServer.start(behavior: .script([.expectHead, .wait(gate), .close]))
///     // … send a request, look at the client …
///     gate.open()
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiters = Waiters<Bool>()
    }

    private let state = Lock(State())

    /// Creates a closed gate.
    public init() {}

    /// Whether the gate was opened.
    public var isOpen: Bool {
        state.withLock { $0.isOpen }
    }

    /// Opens the gate and resumes all waiters. Further calls have no effect.
    public func open() {
        let freed = state.withLock { state in
            state.isOpen = true
            return state.waiters.takeAll()
        }
        for waiter in freed { waiter.resume() }
    }

    /// Waits until the gate is open.
    ///
    /// ## Cancellation
    /// Returns when the task is cancelled, even if the gate is still closed.
    public func wait() async {
        let token = state.withLock { $0.waiters.makeToken() }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                whenOpen(token: token) { continuation.resume() }
            }
        } onCancel: {
            forget(token)?.resume()
        }
    }

    /// Calls `resume` once the gate is open, or at once if it is open or the calling task is cancelled.
    ///
    /// - Returns: The token for ``forget(_:)``.
    func whenOpen(_ resume: @escaping @Sendable () -> Void) -> Int {
        let token = state.withLock { $0.waiters.makeToken() }
        whenOpen(token: token, resume)
        return token
    }

    /// Removes a callback.
    @discardableResult
    func forget(_ token: Int) -> Waiters<Bool>.Waiter? {
        state.withLock { $0.waiters.remove(token) }
    }

    private func whenOpen(token: Int, _ resume: @escaping @Sendable () -> Void) {
        let isThrough = state.withLock { state in
            // Checked under the lock: a later cancellation finds the waiter in the list.
            if state.isOpen || Task.isCancelled { return true }
            state.waiters.add(.init(isMet: { $0 }, resume: resume), token: token)
            return false
        }
        if isThrough { resume() }
    }
}
