internal import ApusCore
internal import Dispatch

/// Holds the threads that come to it until it is opened.
final class HeldThreads: Sendable {
    private struct State {
        var names: [String] = []
        var awaited: [(count: Int, arrived: Deferred<Bool>)] = []
    }

    private let state = Lock(State())
    private let door = DispatchSemaphore(value: 0)

    /// Blocks the thread that it is called on.
    func hold(_ name: String) {
        let arrived = state.withLock { state -> [Deferred<Bool>] in
            state.names.append(name)
            let count = state.names.count
            defer { state.awaited.removeAll { $0.count <= count } }
            return state.awaited.filter { $0.count <= count }.map(\.arrived)
        }
        for arrived in arrived { arrived.fulfill(true) }
        door.wait()
        door.signal()
    }

    /// The names that were held, in the order of arrival.
    var names: [String] { state.withLock { $0.names } }

    /// Returns when so many threads have come.
    func haveArrived(_ count: Int) async {
        let arrived = Deferred<Bool>()
        let isThere = state.withLock { state -> Bool in
            if state.names.count >= count { return true }
            state.awaited.append((count, arrived))
            return false
        }
        if !isThere { _ = await arrived.value }
    }

    /// Lets go of all threads, now and later.
    func open() { door.signal() }
}
