/// The progress of one body of a request, and the observers that receive it.
///
/// It is created for the first observer or the first read, so that other requests do not measure their transfers.
package final class ProgressTracker: Sendable {
    private struct Entry: Sendable {
        let id: Int
        let observer: ProgressObserver
    }

    private struct State {
        var latest: TransferProgress
        var meter = TransferMeter()
        var pace = ReportPace()
        /// Whether bytes were reported since the tracker was created.
        var hasReports = false
        var entries: [Entry] = []
        var nextID = 0
        var isOver = false
    }

    private let time: AnySessionClock
    private let state: Lock<State>

    /// Creates a tracker.
    ///
    /// - Parameters:
    ///   - time: The session's clock.
    ///   - progress: The progress so far. Default: none.
    package init(_ time: AnySessionClock, from progress: TransferProgress = TransferProgress()) {
        self.time = time
        self.state = Lock(State(latest: progress))
    }

    deinit { end() }

    /// The progress so far, measured now.
    package var current: TransferProgress {
        let now = time.now
        return state.withLock { state -> TransferProgress in
            let latest = state.latest
            guard !state.isOver else { return latest }
            state.latest = state.meter.progress(after: latest.completed, of: latest.total, at: now)
            return state.latest
        }
    }

    /// Adds an observer. Returns its identifier, or `nil` after the end.
    @discardableResult
    package func add(_ observer: ProgressObserver) -> Int? {
        state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            defer { state.nextID += 1 }
            if !observer.receivesAll { state.pace.restart() }
            state.entries.append(Entry(id: state.nextID, observer: observer))
            return state.nextID
        }
    }

    /// Removes an observer, which receives no end.
    package func remove(_ id: Int) {
        // Released outside the lock, since the observer may hold the request.
        let removed = state.withLock { state -> Entry? in
            guard let index = state.entries.firstIndex(where: { $0.id == id }) else { return nil }
            return state.entries.remove(at: index)
        }
        withExtendedLifetime(removed) {}
    }

    /// Sets the progress without a report, if there was none yet.
    func begin(_ completed: Int64, of total: Int64?) {
        let now = time.now
        state.withLock { state in
            guard !state.hasReports, !state.isOver else { return }
            state.latest = state.meter.progress(after: completed, of: total, at: now)
        }
    }

    /// Reports a progress: to all observers if it is due, and otherwise to those that receive each progress.
    package func report(_ completed: Int64, of total: Int64?) {
        let now = time.now
        let (progress, entries, isDue) = state.withLock { state -> (TransferProgress, [Entry], Bool) in
            guard !state.isOver else { return (state.latest, [], false) }
            state.hasReports = true
            state.latest = state.meter.progress(after: completed, of: total, at: now)
            return (state.latest, state.entries, state.pace.admits(state.latest, at: now))
        }
        for entry in entries where isDue || entry.observer.receivesAll { entry.observer.report(progress) }
    }

    /// Reports a progress that was held back, then ends and releases all observers. The progress does not change any
    /// more.
    package func end() {
        let (latest, entries, isHolding) = state.withLock { state -> (TransferProgress, [Entry], Bool) in
            state.isOver = true
            defer { state.entries = [] }
            return (state.latest, state.entries, state.pace.isHolding)
        }
        for entry in entries {
            if isHolding, !entry.observer.receivesAll { entry.observer.report(latest) }
            entry.observer.end(latest)
        }
    }
}
