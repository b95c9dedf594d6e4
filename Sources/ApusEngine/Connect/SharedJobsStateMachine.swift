internal import DequeModule

/// Tracks the running jobs, the queued jobs, and the callers that wait for each.
///
/// ```
///   job      queued → running → ended            queued → dropped, when its last waiter leaves
///   waiter   waiting → answered | withdrawn      refused, when the queue is full
/// ```
///
/// Callers that use the same key share one run. A run can't be interrupted: if all its waiters leave, it continues and
/// may hang. The next waiter for its key then gets a second run, but there is never a third. A key uses two threads at
/// most, and a second one only while fewer than half of all threads are busy, so that a few hanging keys leave threads
/// for the others. Whichever run of a key ends first completes all its waiters.
struct SharedJobsStateMachine<Key: Hashable> {
    typealias WaiterID = Int

    private struct Job {
        var waiters: [WaiterID] = []
        /// The number of threads that run it. 0 while it is queued.
        var threadCount = 0
        /// Whether its latest run has always had a waiter since it began.
        var isAttended = true
    }

    private let limits: SharedJobsLimits
    private var jobs: [Key: Job] = [:]
    private var queue = Deque<Key>()
    /// The number of threads of all jobs.
    private(set) var threadCount = 0

    init(limits: SharedJobsLimits) {
        self.limits = limits
    }

    /// The number of jobs that wait for a thread.
    var queuedCount: Int { queue.count }

    var isUnused: Bool { jobs.isEmpty && queue.isEmpty && threadCount == 0 }

    enum JoinAction: Equatable {
        /// The caller starts a thread for the job.
        case start
        /// The job is running or queued.
        case wait
        /// The queue is full. The caller is not added.
        case refuse
    }

    /// Adds a waiter for a key.
    mutating func join(_ waiter: WaiterID, for key: Key) -> JoinAction {
        guard var job = jobs[key] else {
            let hasThread = threadCount < limits.threadCount
            guard hasThread || queue.count < limits.queuedCount else { return .refuse }
            jobs[key] = Job(waiters: [waiter], threadCount: hasThread ? 1 : 0)
            guard hasThread else {
                queue.append(key)
                return .wait
            }
            threadCount += 1
            return .start
        }
        job.waiters.append(waiter)
        let startsSecond = !job.isAttended && job.threadCount == 1 && threadCount < limits.threadCount / 2
        if startsSecond {
            job.threadCount += 1
            job.isAttended = true
            threadCount += 1
        }
        jobs[key] = job
        return startsSecond ? .start : .wait
    }

    /// Removes a waiter. Returns `false` if it was not waiting.
    mutating func withdraw(_ waiter: WaiterID, from key: Key) -> Bool {
        guard var job = jobs[key], let index = job.waiters.firstIndex(of: waiter) else { return false }
        job.waiters.remove(at: index)
        if job.waiters.isEmpty { job.isAttended = false }
        if job.waiters.isEmpty, job.threadCount == 0 {
            jobs[key] = nil
            queue.removeAll { $0 == key }
        } else {
            jobs[key] = job
        }
        return true
    }

    /// Ends a run. Returns the waiters to complete, and the next job for its thread.
    mutating func ended(_ key: Key) -> (waiters: [WaiterID], next: Key?) {
        guard var job = jobs[key], job.threadCount > 0 else { preconditionFailure("a job ended that was not running") }
        let waiters = job.waiters
        threadCount -= 1
        job.threadCount -= 1
        job.waiters = []
        job.isAttended = false
        jobs[key] = job.threadCount > 0 ? job : nil
        guard let next = queue.popFirst() else { return (waiters, nil) }
        jobs[next]?.threadCount = 1
        threadCount += 1
        return (waiters, next)
    }
}
