internal import ApusCore

/// Runs tasks on an event loop, so that a request and its connection share a thread.
final class LoopExecutor: TaskExecutor {
    private let jobs: LoopJobs

    init(_ jobs: LoopJobs) {
        self.jobs = jobs
    }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job), of: asUnownedTaskExecutor())
    }
}

/// Runs a caller's request on the event loop and returns the caller to the global executor.
///
/// When a response is complete and others completed in the same turn of the loop, the final jobs of their requests
/// leave the loop together and run on one global executor thread. If each left alone, each would wake a thread, which
/// interrupts the loop on a busy core. A request that completes alone stays on the loop. So does one that continues: a
/// streamed body, a redirect or a challenge.
final class GuestExecutor: TaskExecutor {
    private let jobs: LoopJobs

    init(_ jobs: LoopJobs) {
        self.jobs = jobs
    }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job), of: asUnownedTaskExecutor(), isLeaving: jobs.isCompleting)
    }
}
