/// The progress of a request.
extension RequestTask {
    /// The direction of a body whose progress is reported.
    enum Direction {
        case upload
        case download
    }

    func listen(to direction: Direction, _ listener: ProgressListener) {
        let isInTime = state.withLock { state in
            // After the end, a listener would never be called and never be released, and it may hold the request.
            guard state.raw == nil else { return false }
            state.listeners.append((direction, listener))
            return true
        }
        guard isInTime, direction == .upload else { return }
        context.watchUpload { [weak self] in self?.report(.upload, completed: $0, total: $1) }
    }

    func report(_ direction: Direction, completed: Int64, total: Int64?) {
        let listeners = state.withLock { $0.listeners }
        for (other, listener) in listeners where other == direction {
            listener.report(completed: completed, total: total)
        }
    }
}
