internal import ApusCore
internal import Dispatch

/// Blocks threads until it is opened.
final class HeldThreads: Sendable {
    private struct State {
        var names: [String] = []
        var awaited: [(count: Int, arrived: Deferred<Bool>)] = []
    }

    private let state = Lock(State())
    private let semaphore = DispatchSemaphore(value: 0)

    /// Blocks the calling thread.
    func hold(_ name: String) {
        let arrived = state.withLock { state -> [Deferred<Bool>] in
            state.names.append(name)
            let count = state.names.count
            defer { state.awaited.removeAll { $0.count <= count } }
            return state.awaited.filter { $0.count <= count }.map(\.arrived)
        }
        for arrived in arrived { arrived.fulfill(true) }
        semaphore.wait()
        semaphore.signal()
    }

    /// The names of the blocked threads, in order of arrival.
    var names: [String] { state.withLock { $0.names } }

    /// Returns when `count` threads have arrived.
    func waitForArrivals(_ count: Int) async {
        let arrived = Deferred<Bool>()
        let isComplete = state.withLock { state -> Bool in
            if state.names.count >= count { return true }
            state.awaited.append((count, arrived))
            return false
        }
        if !isComplete { _ = await arrived.value }
    }

    /// Releases all threads, now and later.
    func open() { semaphore.signal() }
}
