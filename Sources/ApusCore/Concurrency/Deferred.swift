/// A value that is set once and that any number of tasks can await.
///
/// The tasks wait at a latch that is independent of the value's type, since generic code costs several times as much if
/// it is called from another module.
package final class Deferred<Value: Sendable>: Sendable {
    private let stored = Lock<Value?>(nil)
    private let latch = Latch()

    package init() {}

    /// Sets the value. Only the first call has an effect. Returns whether it was the first.
    @discardableResult
    package func fulfill(_ value: Value) -> Bool {
        let isFirst = stored.withLock { stored in
            guard stored == nil else { return false }
            stored = value
            return true
        }
        if isFirst { latch.open() }
        return isFirst
    }

    /// The value, if it is set.
    package var present: Value? { stored.withLock { $0 } }

    /// The value. Waits until it is set.
    package var value: Value {
        @inline(__always)
        get async { await value(cancelling: nil) }
    }

    /// Waits for the value. If the waiting task is cancelled, it cancels `request` and waits for the result of that.
    @inline(__always)
    func value(cancelling request: RequestTask?) async -> Value {
        if let value = present { return value }
        await latch.wait(orCancelling: request)
        guard let value = present else { preconditionFailure("the latch was opened before the value was set") }
        return value
    }
}

/// Blocks tasks until it is opened, once.
private struct Latch: ~Copyable, Sendable {
    private struct State {
        var isOpen = false
        /// Most latches have a single waiter.
        var waiter: UnsafeContinuation<Void, Never>?
        var others: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    func open() {
        let (waiter, others) = state.withLock { state in
            defer { (state.isOpen, state.waiter, state.others) = (true, nil, []) }
            return (state.waiter, state.others)
        }
        waiter?.resume()
        for other in others { other.resume() }
    }

    // Inlined, since each additional async function costs an executor check when it resumes.
    @inline(__always)
    func wait(orCancelling request: RequestTask?) async {
        guard let request else { return await wait() }
        await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            request.cancel(.task)
        }
    }

    @inline(__always)
    private func wait() async {
        await withUnsafeContinuation { continuation in
            let isOpen = state.withLock { state in
                guard !state.isOpen else { return true }
                if state.waiter == nil { state.waiter = continuation } else { state.others.append(continuation) }
                return false
            }
            if isOpen { continuation.resume() }
        }
    }
}
