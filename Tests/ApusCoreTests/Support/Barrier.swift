@testable internal import ApusCore

/// Suspends its callers until a test opens it, and lets the test wait for the first of them.
final class Barrier: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [Deferred<Bool>] = []
    }

    private let arrival = Deferred<Bool>()
    private let state = Lock(State())

    /// Waits until the barrier is open, even if the task is cancelled.
    func pass() async {
        let opening = enter()
        _ = await opening.value
    }

    /// Waits until the barrier is open. Throws `CancellationError` if the task is cancelled.
    func passUnlessCancelled() async throws {
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
    func reached() async { _ = await arrival.value }

    /// Resumes all callers, and lets all later ones pass.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.fulfill(true) }
    }
}

/// A list that any thread can append to.
final class LockedList<Element: Sendable>: Sendable {
    private let stored = Lock<[Element]>([])

    var all: [Element] { stored.withLock { $0 } }
    var count: Int { stored.withLock { $0.count } }

    func append(_ element: Element) { stored.withLock { $0.append(element) } }
}

/// Waits until other tasks make a condition true. Yields between the checks instead of sleeping.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<200_000 {
        if condition() { return true }
        await Task.yield()
    }
    return condition()
}

/// Returns the `ApusError` that `work` throws, or `nil` if it throws none.
func failure(of work: () async throws -> some Any) async -> ApusError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? ApusError
    }
}
