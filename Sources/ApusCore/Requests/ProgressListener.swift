internal import Dispatch

/// Reports progress to a handler on its queue. Updates that arrive before the handler runs are merged into the latest.
///
/// The last update of a request is scheduled before its completion handlers. So on a serial queue, the handler has
/// received it before they run there.
final class ProgressListener: Sendable {
    private struct State {
        var latest: TransferProgress?
        var isScheduled = false
    }

    private let queue: DispatchQueue
    private let handler: @Sendable (TransferProgress) -> Void
    private let state = Lock(State())

    init(queue: DispatchQueue, handler: @escaping @Sendable (TransferProgress) -> Void) {
        self.queue = queue
        self.handler = handler
    }

    func report(_ progress: TransferProgress) {
        let schedules = state.withLock { state in
            state.latest = progress
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard schedules else { return }
        queue.async { [self] in
            let latest = state.withLock { state in
                state.isScheduled = false
                return state.latest
            }
            if let latest { handler(latest) }
        }
    }
}
