internal import ApusCore
internal import NIOCore

/// Runs tasks on an event loop, so that a request and its connection share a thread.
///
/// Jobs gather in a list that one turn of the loop drains: a hundred jobs wake the loop once.
final class LoopExecutor: TaskExecutor {
    private struct State {
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
        let isEmpty = state.withLock { state in
            state.spare = jobs
            state.isScheduled = !state.jobs.isEmpty
            return state.jobs.isEmpty
        }
        if !isEmpty { schedule() }
    }
}
