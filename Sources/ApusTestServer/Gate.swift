internal import ApusCore

/// A door between a test and a script: one side waits, the other opens it, and it stays open.
///
/// For example, a response that is held until the test says so:
///
///     let gate = Gate()
///     let server = try await TestServer.start(behaviour: .script([.expectHead, .wait(gate), .close]))
///     // … send a request, look at the client …
///     gate.open()
public final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiters = Waiters<Bool>()
    }

    private let state = Lock(State())

    /// Makes a closed gate.
    public init() {}

    /// Whether the gate was opened.
    public var isOpen: Bool {
        state.withLock { $0.isOpen }
    }

    /// Opens the gate and lets everyone through; opening it again does nothing.
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
    /// Returns when the task is cancelled, the gate being open or not.
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

    /// Calls back once the gate is open, at once if it is already or if the calling task was cancelled.
    ///
    /// - Returns: the token to ``forget(_:)`` the callback with.
    func whenOpen(_ resume: @escaping @Sendable () -> Void) -> Int {
        let token = state.withLock { $0.waiters.makeToken() }
        whenOpen(token: token, resume)
        return token
    }

    /// Takes a callback back.
    @discardableResult
    func forget(_ token: Int) -> Waiters<Bool>.Waiter? {
        state.withLock { $0.waiters.remove(token) }
    }

    private func whenOpen(token: Int, _ resume: @escaping @Sendable () -> Void) {
        let isThrough = state.withLock { state in
            // Asked for under the lock: a cancellation from now on finds the waiter in the list.
            if state.isOpen || Task.isCancelled { return true }
            state.waiters.add(.init(isMet: { $0 }, resume: resume), token: token)
            return false
        }
        if isThrough { resume() }
    }
}
