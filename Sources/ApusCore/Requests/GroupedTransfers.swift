/// The transfers of a group. It lives as long as the group, or as one of its running requests.
///
/// The progress of a request holds it until the request ends. It holds the requests until they end or the group is
/// released, so that a request that is never started does not keep itself.
final class GroupedTransfers: Sendable {
    private typealias Continuation = AsyncStream<TransferProgress>.Continuation

    private struct State {
        var sum = TransferSum()
        var pace = ReportPace()
        /// The clock of the first request.
        var time: AnySessionClock?
        /// The requests that have not ended.
        var tasks: [Int: RequestTask] = [:]
        var counts = Counts()
        var listeners: [ProgressListener] = []
        var sequences: [Int: Continuation] = [:]
        var nextSequence = 0
        var waiters: [Deferred<Void>] = []
        /// The progress to deliver next.
        var due: TransferProgress?
        /// Whether a thread delivers. It also delivers a progress that becomes due in the meantime, so that all arrive
        /// in order, although requests report on several threads.
        var isDelivering = false

        mutating func add(_ task: RequestTask, _ clock: AnySessionClock) -> (Int, AnySessionClock) {
            let time = time ?? clock
            self.time = time
            counts.all += 1
            let id = sum.add()
            tasks[id] = task
            return (id, time)
        }

        mutating func update(_ id: Int, to progress: TransferProgress, at now: MonotonicInstant) -> Bool {
            sum.update(id, to: progress)
            return report(at: now)
        }

        mutating func end(_ id: Int, at last: TransferProgress, hasFailed: Bool, _ now: MonotonicInstant) -> Bool {
            guard sum.end(id, at: last) else { return false }
            counts.finished += 1
            if hasFailed { counts.failed += 1 }
            // After the end of the last request the sum is complete, so it is due.
            return report(at: now)
        }

        /// Returns whether the sum is due.
        private mutating func report(at now: MonotonicInstant) -> Bool {
            let progress = sum.measured(at: now)
            guard pace.admits(progress, at: now) else { return false }
            due = progress
            return true
        }

        /// Adds a sequence. Returns its identifier, or `nil` if all requests have ended.
        mutating func add(_ continuation: Continuation) -> Int? {
            guard counts.all == 0 || !counts.isOver else { return nil }
            defer { nextSequence += 1 }
            sequences[nextSequence] = continuation
            return nextSequence
        }

        /// Adds a waiter. Returns `false` if all requests have ended and the last progress was delivered.
        mutating func add(_ waiter: Deferred<Void>) -> Bool {
            guard !counts.isOver || due != nil || isDelivering else { return false }
            waiters.append(waiter)
            return true
        }

        /// Returns `false` if another thread delivers.
        mutating func beginDelivery() -> Bool {
            defer { isDelivering = true }
            return !isDelivering
        }

        /// Returns the next delivery, or `nil` if there is none, which ends the delivery.
        mutating func nextDelivery() -> Delivery? {
            let progress = due.take()
            let isOver = counts.isOver
            guard progress != nil || (isOver && !waiters.isEmpty) else {
                isDelivering = false
                return nil
            }
            let delivery = Delivery(
                progress: progress,
                listeners: listeners,
                sequences: Array(sequences.values),
                waiters: waiters,
                isLast: isOver
            )
            if isOver { (sequences, waiters) = ([:], []) }
            return delivery
        }
    }

    /// The number of requests.
    struct Counts: Sendable {
        var all = 0
        var finished = 0
        var failed = 0

        var isOver: Bool { finished == all }
    }

    /// A progress, and its receivers.
    private struct Delivery: Sendable {
        let progress: TransferProgress?
        let listeners: [ProgressListener]
        let sequences: [Continuation]
        let waiters: [Deferred<Void>]
        /// Whether all requests have ended.
        let isLast: Bool

        func perform() {
            if let progress {
                for listener in listeners { listener.report(progress) }
                for sequence in sequences { sequence.yield(progress) }
            }
            guard isLast else { return }
            for sequence in sequences { sequence.finish() }
            for waiter in waiters { waiter.fulfill(()) }
        }
    }

    private let state = Lock(State())

    deinit {
        let sequences = state.withLock { $0.sequences }
        for sequence in sequences.values { sequence.finish() }
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// The progress so far, measured now.
    var progress: TransferProgress {
        guard let time = state.withLock({ $0.time }) else { return TransferProgress() }
        let now = time.now
        return state.withLock { $0.sum.measured(at: now) }
    }

    /// The requests that have not ended, in the order in which they were added.
    var tasks: [RequestTask] {
        let tasks = state.withLock { $0.tasks }
        return tasks.sorted { $0.key < $1.key }.map(\.value)
    }

    // MARK: Requests

    /// Adds a request.
    func add(_ task: RequestTask, _ direction: RequestTask.Direction) {
        let clock = task.context.environment.time
        let (id, time) = state.withLock { $0.add(task, clock) }
        let observer = ProgressObserver(
            receivesAll: true,
            report: { [self] progress in update(id, to: progress, at: time.now) },
            end: { [self] last in end(id, at: last, time.now) }
        )
        let isObserved = task.tracker(of: direction)?.add(observer) != nil
        let progress = task.progress(of: direction)
        if isObserved {
            state.withLock { $0.sum.begin(id, at: progress) }
        } else {
            end(id, at: progress, time.now)
        }
    }

    /// Releases the requests. Those that are running keep themselves.
    func release() {
        // Released outside the lock: a request that was not started ends now.
        let tasks = state.withLock { state -> [Int: RequestTask] in
            defer { state.tasks = [:] }
            return state.tasks
        }
        withExtendedLifetime(tasks) {}
    }

    private func update(_ id: Int, to progress: TransferProgress, at now: MonotonicInstant) {
        if state.withLock({ $0.update(id, to: progress, at: now) }) { deliver() }
    }

    private func end(_ id: Int, at last: TransferProgress, _ now: MonotonicInstant) {
        let task = state.withLock { $0.tasks.removeValue(forKey: id) }
        // The result is recorded before the progress ends. It is read outside the lock, since it has a lock of its own.
        let hasFailed = task?.raw?.error != nil
        if state.withLock({ $0.end(id, at: last, hasFailed: hasFailed, now) }) { deliver() }
    }

    private func deliver() {
        guard state.withLock({ $0.beginDelivery() }) else { return }
        while let delivery = state.withLock({ $0.nextDelivery() }) { delivery.perform() }
    }

    // MARK: Observers

    func add(_ listener: ProgressListener) {
        state.withLock { $0.listeners.append(listener) }
    }

    /// Returns the progress as a sequence that ends with the last request.
    func updates(_ policy: AsyncStream<TransferProgress>.Continuation.BufferingPolicy) -> AsyncStream<TransferProgress>
    {
        let (stream, continuation) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: policy)
        guard let id = state.withLock({ $0.add(continuation) }) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.removeSequence(id) }
        return stream
    }

    private func removeSequence(_ id: Int) {
        let removed = state.withLock { $0.sequences.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }

    /// Returns when all requests have ended, or when the task is cancelled.
    func wait() async {
        let waiter = Deferred<Void>()
        guard state.withLock({ $0.add(waiter) }) else { return }
        await withTaskCancellationHandler {
            await waiter.value
        } onCancel: {
            waiter.fulfill(())
        }
        state.withLock { state in state.waiters.removeAll { $0 === waiter } }
    }
}
