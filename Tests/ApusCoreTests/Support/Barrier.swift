@testable internal import ApusCore

/// A place where work stops until the test lets it go, and that tells when somebody has come.
final class Barrier: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [Deferred<Bool>] = []
    }

    private let arrival = Deferred<Bool>()
    private let state = Lock(State())

    /// Stops here, whatever becomes of the task.
    func pass() async {
        let opening = enter()
        _ = await opening.value
    }

    /// Stops here until it is let go or its task is cancelled.
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

    /// Returns when somebody has come.
    func reached() async { _ = await arrival.value }

    /// Lets go of everyone, now and from now on.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.fulfill(true) }
    }
}

/// A list that grows from anywhere.
final class Notes<Element: Sendable>: Sendable {
    private let stored = Lock<[Element]>([])

    var all: [Element] { stored.withLock { $0 } }
    var count: Int { stored.withLock { $0.count } }

    func append(_ element: Element) { stored.withLock { $0.append(element) } }
}

/// Waits for what other tasks bring about, by turns of the executor and not by time.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<200_000 {
        if condition() { return true }
        await Task.yield()
    }
    return condition()
}

/// The error that `work` ends with.
func failure(of work: () async throws -> some Any) async -> ApusError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? ApusError
    }
}
