internal import Apus
internal import Dispatch

/// Runs tasks on the thread that calls `run`.
///
/// The command itself needs no other thread. The pool of the concurrency runtime would start three, which takes longer
/// than a request on loopback.
final class CallingThread: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])
    private let wake = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        wake.signal()
    }

    /// Runs the jobs in order, until one of them ends the process.
    func run() -> Never {
        while true {
            wake.wait()
            let ready = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            for job in ready { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
