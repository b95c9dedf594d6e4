/// A value that will be there once, for any number of tasks that wait for it.
///
/// The tasks wait at a latch, which knows nothing of the value: code that is generic costs several times as much where it
/// is called from another module.
package final class Deferred<Value: Sendable>: Sendable {
    private let stored = Lock<Value?>(nil)
    private let latch = Latch()
    private let request: RequestTask?

    package init() {
        self.request = nil
    }

    /// - Parameter request: The request that a task cancels which is cancelled while it waits. It goes on waiting, for what
    ///   comes of that.
    init(cancelling request: RequestTask?) {
        self.request = request
    }

    /// Puts the value in; only the first counts.
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

    /// The value, if it is there.
    package var present: Value? { stored.withLock { $0 } }

    /// The value, as soon as it is there.
    package var value: Value {
        @inline(__always)
        get async {
            if let value = present { return value }
            await latch.wait(orCancelling: request)
            guard let value = present else { preconditionFailure("the latch was opened ahead of the value") }
            return value
        }
    }
}

/// Where tasks wait until it is opened, once.
private struct Latch: ~Copyable, Sendable {
    private struct State {
        var isOpen = false
        /// Most have one.
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

    // Each function of its own that awaits would be one more that has to find out where it goes on.
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
