internal import Apus
internal import ApusCore

/// The reading position in a mocked body.
final class Position: Sendable {
    private struct State {
        var index = 0
        var isAtEnd = false
        var isCancelled = false
    }

    private let state = Lock(State())

    var isAtEnd: Bool { state.withLock { $0.isAtEnd } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func advance() -> Int {
        state.withLock { state in
            defer { state.index += 1 }
            return state.index
        }
    }

    func end() { state.withLock { $0.isAtEnd = true } }
    func cancel() { state.withLock { $0.isCancelled = true } }
}
