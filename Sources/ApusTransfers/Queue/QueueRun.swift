internal import ApusCore
internal import Foundation

/// One run of a queue: starts the transfers, and ends with the first error of the queue's own files.
struct QueueRun: Sendable {
    /// The time between two looks at the changes of other processes.
    static let pollInterval: Duration = .seconds(1)

    private enum Signal: Sendable {
        /// There is a change of this process.
        case changed
        /// A poll or a retry is due.
        case due
        /// The task of the run was cancelled.
        case stopped
        /// A job has ended. With an error, the run ends too.
        case ended(TransferID, ApusError?)
    }

    private struct Job: Sendable {
        let task: Task<Void, Never>
        let isTransfer: Bool
    }

    let store: QueueStore
    let performer: any TransferPerforming
    let time: AnySessionClock
    let configuration: TransferQueue.Configuration
    let events: TransferEvents

    /// Runs until nothing is left to do.
    ///
    /// - Throws: `ApusError`: `cancelled` if the task was cancelled, `fileUnwritable`, `fileUnreadable`, or the error
    ///   of the session's end.
    func run() async throws(ApusError) {
        let (signals, signal) = AsyncStream.makeStream(of: Signal.self)
        try await store.begin { signal.yield(.changed) }
        // A stream ends for a task that is cancelled. This one waits for its jobs.
        let work = Task { await serve(signals, signal) }
        let failure = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            signal.yield(.stopped)
        }
        await store.end()
        if let failure { throw failure }
    }

    /// Returns the error that has ended the run, or `nil` if nothing is left to do.
    private func serve(
        _ signals: AsyncStream<Signal>,
        _ signal: AsyncStream<Signal>.Continuation
    ) async -> ApusError? {
        var jobs: [TransferID: Job] = [:]
        var failure: ApusError?
        var nextPoll = time.now.advanced(by: Self.pollInterval)
        var isChanged = false
        var iterator = signals.makeAsyncIterator()
        while true {
            if failure == nil {
                do throws(ApusError) {
                    let isOver = !configuration.keepsRunning && jobs.isEmpty && store.isIdle
                    if isChanged || isOver || time.now >= nextPoll {
                        try await store.takeUp()
                        isChanged = false
                        nextPoll = time.now.advanced(by: Self.pollInterval)
                    }
                    // The transfers that were paused or removed.
                    for (id, job) in jobs where job.isTransfer && !store.isRunning(id) { job.task.cancel() }
                    try await start(&jobs, signal)
                    if isOver, jobs.isEmpty, store.isIdle { return nil }
                } catch {
                    failure = error
                }
            }
            if failure != nil {
                if jobs.isEmpty { return failure }
                for job in jobs.values { job.task.cancel() }
            }
            let alarm = failure == nil ? timer(until: nextPoll, startsRetries: hasPlace(jobs), signal) : nil
            let received = await iterator.next()
            alarm?.cancel()
            switch received {
            case .changed: isChanged = true
            case .due: break
            case .stopped, nil: failure = failure ?? ApusError(.cancelled, "its task was cancelled")
            case .ended(let id, let error):
                // A transfer that was removed and added again waits for the end of its removal.
                if jobs[id]?.isTransfer == false { isChanged = true }
                jobs[id] = nil
                failure = failure ?? error
            }
        }
    }

    /// Wakes the run at its next poll, or before if a retry is due that may start.
    private func timer(
        until nextPoll: MonotonicInstant,
        startsRetries: Bool,
        _ signal: AsyncStream<Signal>.Continuation
    ) -> Task<Void, Never> {
        let delay = startsRetries ? store.nextDelay(at: time.wallClock) : nil
        let due = delay.map { time.now.advanced(by: $0) }
        let instant = min(nextPoll, due ?? nextPoll)
        return Task {
            try? await time.sleep(until: instant)
            if !Task.isCancelled { signal.yield(.due) }
        }
    }

    // MARK: Jobs

    /// Whether another transfer may start.
    private func hasPlace(_ jobs: [TransferID: Job]) -> Bool {
        jobs.values.count(where: \.isTransfer) < max(1, configuration.concurrentTransfers)
    }

    private func start(
        _ jobs: inout [TransferID: Job],
        _ signal: AsyncStream<Signal>.Continuation
    ) async throws(ApusError) {
        while true {
            let work = try await store.next(
                at: time.wallClock,
                busy: Set(jobs.keys),
                canStart: hasPlace(jobs),
                canDiscard: jobs.values.count(where: { !$0.isTransfer }) < QueueLimits.discardCount
            )
            guard let work else { return }
            let task = Task {
                let failure = await outcome(of: work)
                signal.yield(.ended(work.id, failure))
            }
            jobs[work.id] = Job(task: task, isTransfer: work.isTransfer)
        }
    }

    /// Does some work. Returns an error with which the run can't go on.
    private func outcome(of work: QueueWork) async -> ApusError? {
        do throws(ApusError) {
            switch work {
            case .perform(let transfer, let placed): try await perform(transfer, placed)
            case .upload(let transfer, let state, let wasStopped): try await upload(transfer, state, wasStopped)
            case .discard(let transfer):
                await performer.discard(transfer)
                try await store.forget(transfer.id)
            case .withdraw(let transfer, let state):
                await performer.withdraw(transfer, state)
                try await store.forget(transfer.id)
            }
            return nil
        } catch {
            return error
        }
    }

    private func perform(_ transfer: Transfer, _ placed: FileFingerprint?) async throws(ApusError) {
        events.yield(.started(transfer.id))
        if let placed, await performer.finds(placed, of: transfer) {
            return try await store.finish(transfer, placed)
        }
        switch await result(of: transfer) {
        case .success(let file): try await store.finish(transfer, file)
        case .failure(let error): try await fail(transfer, error)
        }
    }

    private func fail(_ transfer: Transfer, _ error: ApusError) async throws(ApusError) {
        // Paused, removed, or the run ends. The part of the file is kept.
        if Task.isCancelled, error.isCancelled { return }
        if error.code == .sessionShutDown || error.code == .sessionGone { throw error }
        try await store.fail(transfer, error, at: time.wallClock)
    }

    private func result(of transfer: Transfer) async -> Result<FileFingerprint, ApusError> {
        do throws(ApusError) {
            let file = try await performer.perform(
                transfer,
                placing: { file throws(ApusError) in try store.place(transfer.id, file) },
                progress: reporter(of: transfer)
            )
            return .success(file)
        } catch {
            return .failure(error)
        }
    }

    /// Returns a closure that reports the progress of one attempt.
    private func reporter(of transfer: Transfer) -> @Sendable (TransferProgress) -> Void {
        let throttle = ProgressThrottle()
        return { progress in
            if throttle.passes(at: time.now) { events.yield(.progress(transfer.id, progress)) }
        }
    }

    // MARK: Uploads

    private func upload(
        _ transfer: Transfer,
        _ state: ResumableUpload.State?,
        _ wasStopped: Bool
    ) async throws(ApusError) {
        events.yield(.started(transfer.id))
        guard !wasStopped || state != nil || transfer.mayBeginAnew else {
            return try await store.fail(transfer, Self.stop(of: transfer), at: time.wallClock)
        }
        switch await response(to: transfer, state) {
        case .success(let response): try await store.finish(transfer, response)
        case .failure(let error): try await fail(transfer, error)
        }
    }

    private func response(
        to transfer: Transfer,
        _ state: ResumableUpload.State?
    ) async -> Result<TransferResponse, ApusError> {
        do throws(ApusError) {
            let response = try await performer.upload(
                transfer,
                resumingWith: state,
                keeping: { state async throws(ApusError) in try await store.keep(transfer.id, state) },
                progress: reporter(of: transfer)
            )
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    /// Returns the error of an upload that must not be repeated.
    private static func stop(of transfer: Transfer) -> ApusError {
        ApusError(
            .connectionClosed,
            "the upload was stopped while it was under way, so the server may have received it",
            hint: "resume the transfer to send it again",
            url: transfer.url
        )
    }
}
