internal import ApusCore
internal import NIOCore

/// Runs tasks on an event loop, so that a request and its connection share a thread.
///
/// Jobs gather in a list that one turn of the loop drains: a hundred jobs wake the loop once.
final class LoopExecutor: TaskExecutor {
    private struct State {
        var endOfTurn: [@Sendable () -> Void] = []
        var jobs: [UnownedJob] = []
        var spare: [UnownedJob] = []
        var isScheduled = false
    }

    let loop: any EventLoop
    private let state = Lock(State())

    init(loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let schedules = state.withLock { state in
            state.jobs.append(job)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if schedules { schedule() }
    }

    private func schedule() {
        loop.execute { self.drain() }
    }

    /// Runs what has gathered. What gathers meanwhile waits for the next turn, so that I/O comes in between.
    private func drain() {
        var jobs = state.withLock { state in
            let jobs = state.jobs
            state.jobs = state.spare
            state.spare = []
            return jobs
        }
        let executor = asUnownedTaskExecutor()
        for job in jobs { job.runSynchronously(on: executor) }
        jobs.removeAll(keepingCapacity: true)
        let (isEmpty, endOfTurn) = state.withLock { state in
            state.spare = jobs
            state.isScheduled = !state.jobs.isEmpty
            defer { state.endOfTurn = [] }
            return (state.jobs.isEmpty, state.endOfTurn)
        }
        if !isEmpty { schedule() }
        for work in endOfTurn { work() }
    }

    /// Runs `work` when the jobs of this turn have run; now, where there is none.
    ///
    /// Waking a waiting thread costs as much as half a request: at the end of a turn one waking serves for all that
    /// were answered in it.
    func atEndOfTurn(_ work: @escaping @Sendable () -> Void) {
        let isTurning = state.withLock { state in
            if state.isScheduled { state.endOfTurn.append(work) }
            return state.isScheduled
        }
        if !isTurning { work() }
    }
}
