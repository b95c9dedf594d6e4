package import Dispatch
internal import Logging

/// Logs a hint if a program blocks its main queue while it waits for a callback on it.
///
/// On Linux the main queue runs only under an async `main`, `dispatchMain()` or a `RunLoop`.
package final class MainQueueWatch: Sendable {
    private struct State {
        var pending = 0
        var delivered: UInt64 = 0
        var isWatching = false
        var wasHinted = false
    }

    /// Calls a closure after a delay.
    typealias Timer = @Sendable (DispatchTimeInterval, @escaping @Sendable () -> Void) -> Void

    private let state = Lock(State())
    private let logger: Logger
    private let watched: DispatchQueue
    private let isMain: Bool
    private let patience: DispatchTimeInterval
    private let timer: Timer

    init(
        logger: Logger,
        watching watched: DispatchQueue? = nil,
        patience: DispatchTimeInterval = .seconds(5),
        timer: @escaping Timer = { DispatchQueue.global().asyncAfter(deadline: .now() + $0, execute: $1) }
    ) {
        self.logger = logger
        self.watched = watched ?? .main
        self.isMain = watched == nil
        self.patience = patience
        self.timer = timer
    }

    /// Delivers `work` on `queue`. Deliveries on the main queue are monitored.
    package func deliver(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        guard queue === watched || isMain && Self.isMain(queue) else { return queue.async(execute: work) }
        let startsWatching = state.withLock { state in
            state.pending += 1
            guard !state.isWatching, !state.wasHinted else { return false }
            state.isWatching = true
            return true
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

    /// On Linux, `.main` is a new object each time, so the queue is identified by a value attached to it.
    private static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: mainKey) == true }

    private static let mainKey = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Checks again after a delay, as long as deliveries are pending.
    private func watch() {
        let before = state.withLock { $0.delivered }
        timer(patience) { [weak self] in self?.look(before) }
    }

    private func look(_ before: UInt64) {
        let isStuck = state.withLock { state -> Bool? in
            guard state.pending > 0 else {
                state.isWatching = false
                return nil
            }
            state.wasHinted = state.delivered == before
            state.isWatching = !state.wasHinted
            return state.wasHinted
        }
        switch isStuck {
        case nil: break
        case false?: watch()
        case true?:
            logger.warning(
                """
                A response has been waiting for the main queue. On Linux the main queue runs only under an async main, \
                dispatchMain() or a RunLoop: use one of them, await the response, or name another queue.
                """
            )
        }
    }
}
