internal import Dispatch

/// Reports progress to a handler on its queue. Updates that arrive before the handler runs are merged into the latest.
final class ProgressListener: Sendable {
    private struct State {
        var latest: (completed: Int64, total: Int64?)?
        var isScheduled = false
    }

    private let queue: DispatchQueue
    private let handler: @Sendable (Int64, Int64?) -> Void
    private let state = Lock(State())

    init(queue: DispatchQueue, handler: @escaping @Sendable (Int64, Int64?) -> Void) {
        self.queue = queue
        self.handler = handler
    }

    func report(completed: Int64, total: Int64?) {
        let schedules = state.withLock { state in
            state.latest = (completed, total)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard schedules else { return }
        queue.async { [self] in
            let latest = state.withLock { state in
                state.isScheduled = false
                return state.latest
            }
            if let latest { handler(latest.completed, latest.total) }
        }
    }
}
