internal import Dispatch
internal import Logging

/// Gives a hint to a program that blocks its main queue while it waits for a callback on it.
///
/// On Linux the main queue runs only under an async `main`, `dispatchMain()` or a `RunLoop`.
final class MainQueueWatch: Sendable {
    private struct State {
        var pending = 0
        var delivered: UInt64 = 0
        var isWatching = false
        var wasHinted = false
    }

    private let state = Lock(State())
    private let logger: Logger
    private let patience: DispatchTimeInterval

    init(logger: Logger, patience: DispatchTimeInterval = .seconds(5)) {
        self.logger = logger
        self.patience = patience
    }

    /// Delivers `work` on `queue`, with an eye on the main queue.
    func deliver(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        guard queue === DispatchQueue.main else { return queue.async(execute: work) }
        let startsWatching = state.withLock { state in
            state.pending += 1
            defer { state.isWatching = true }
            return !state.isWatching && !state.wasHinted
        }
        if startsWatching { watch() }
        queue.async {
            self.state.withLock { state in
                state.pending -= 1
                state.delivered += 1
            }
            work()
        }
    }

    private func watch() {
        let before = state.withLock { $0.delivered }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [weak self] in
            guard let self else { return }
            let isStuck = state.withLock { state in
                let isStuck = state.pending > 0 && state.delivered == before && !state.wasHinted
                state.isWatching = false
                state.wasHinted = state.wasHinted || isStuck
                return isStuck
            }
            if isStuck {
                logger.warning(
                    """
                    A response has been waiting for the main queue. On Linux the main queue runs only under an async \
                    main, dispatchMain() or a RunLoop: use one of them, await the response, or name another queue.
                    """
                )
            }
        }
    }
}
