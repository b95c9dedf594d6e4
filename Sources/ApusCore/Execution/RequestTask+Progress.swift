internal import Foundation

/// The progress of a request.
extension RequestTask {
    /// The direction of a body whose progress is reported.
    enum Direction {
        case upload
        case download
    }

    /// The progress of both bodies of a request.
    struct Transfers {
        /// The bytes of the response body so far. Those of the request body are in the records of its exchanges.
        var received: Int64 = 0
        /// The bytes of the response body in total.
        var expected: Int64?
        var upload: ProgressTracker?
        var download: ProgressTracker?
        /// Whether the request has ended.
        var isOver = false

        var isTracked: Bool { upload != nil || download != nil }

        /// Returns the tracker of a direction, which is created now if there is none. Returns `nil` if the request has
        /// ended without one.
        mutating func tracker(
            of direction: Direction,
            _ time: AnySessionClock
        ) -> (tracker: ProgressTracker?, isNew: Bool) {
            switch direction {
            case .upload:
                guard upload == nil, !isOver else { return (upload, false) }
                upload = ProgressTracker(time)
                return (upload, true)
            case .download:
                guard download == nil, !isOver else { return (download, false) }
                download = ProgressTracker(time, from: TransferProgress(completed: received, total: expected))
                return (download, true)
            }
        }
    }

    /// Returns the tracker of a direction. Returns `nil` if the request has ended without one.
    func tracker(of direction: Direction) -> ProgressTracker? {
        let time = context.environment.time
        let (tracker, isNew) = state.withLock { $0.transfers.tracker(of: direction, time) }
        if isNew, direction == .upload, let tracker { context.watchUpload { tracker.report($0, of: $1) } }
        return tracker
    }

    /// Returns the progress of a body so far.
    func progress(of direction: Direction) -> TransferProgress {
        guard let tracker = tracker(of: direction) else {
            let received = state.withLock { ($0.transfers.received, $0.transfers.expected) }
            let (completed, total) = direction == .upload ? context.uploaded : received
            return TransferProgress(completed: completed, total: total)
        }
        if direction == .upload {
            // The bytes that were sent before the tracker existed.
            let (completed, total) = context.uploaded
            tracker.begin(completed, of: total)
        }
        return tracker.current
    }

    /// Records how much of the response body has arrived, and reports it.
    func noteReceived(_ completed: Int64, of total: Int64?) {
        let tracker = state.withLock { state -> ProgressTracker? in
            guard !state.transfers.isOver else { return nil }
            (state.transfers.received, state.transfers.expected) = (completed, total)
            return state.transfers.download
        }
        tracker?.report(completed, of: total)
    }

    /// Ends the progress of both bodies, and releases their observers.
    func end(_ transfers: Transfers) {
        if let upload = transfers.upload {
            let (completed, total) = context.uploaded
            upload.begin(completed, of: total)
            // The length of a body without a declared one is known once it was sent.
            if let total, upload.current.total == nil { upload.report(completed, of: total) }
            upload.end()
        }
        transfers.download?.end()
    }
}

/// The observers of the progress.
extension RequestTask {
    /// Reports the progress of a body to a listener, until the request ends. After that, the listener would never be
    /// released, and it may hold the request.
    func listen(to direction: Direction, _ listener: ProgressListener) {
        tracker(of: direction)?.add(ProgressObserver(report: { listener.report($0) }))
    }

    /// Reports the progress of a body to a closure, which must not block. It receives every report, where the request runs.
    func observe(_ direction: Direction, _ report: @escaping @Sendable (TransferProgress) -> Void) {
        tracker(of: direction)?.add(ProgressObserver(receivesAll: true, report: report))
    }

    /// Returns the progress of a body as a sequence that ends with the request.
    func updates(
        of direction: Direction,
        _ policy: AsyncStream<TransferProgress>.Continuation.BufferingPolicy
    ) -> AsyncStream<TransferProgress> {
        let (stream, continuation) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: policy)
        let observer = ProgressObserver(report: { continuation.yield($0) }, end: { _ in continuation.finish() })
        guard let tracker = tracker(of: direction), let id = tracker.add(observer) else {
            continuation.finish()
            return stream
        }
        // The tracker holds the continuation. If it is released, it ends the sequence.
        continuation.onTermination = { [weak tracker] _ in tracker?.remove(id) }
        return stream
    }

    /// Returns a `Progress` that follows a body and controls the request. It does not hold the request.
    func makeProgress(of direction: Direction, on queue: DispatchQueue) -> Progress {
        let progress = FoundationProgress(
            progress(of: direction),
            on: queue,
            cancel: { [weak self] in self?.cancel(.user) },
            pause: { [weak self] in self?.suspend() },
            resume: { [weak self] in self?.resume() }
        )
        if tracker(of: direction)?.add(progress.observer) == nil { progress.end(self.progress(of: direction)) }
        return progress.object
    }
}
