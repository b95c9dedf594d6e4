internal import DequeModule

/// Which jobs have a thread, which wait for one, and which callers wait for which job.
///
/// ```
///   job      queued → running → ended            queued → dropped, when its last waiter leaves
///   waiter   waiting → answered | withdrawn      refused, when the queue is full
/// ```
///
/// Callers that name the same key share one run. A run can't be interrupted: one that has lost all its waiters goes on
/// by itself, and may hang. The next waiter for its key then gets a second run, and there is never a third: a key takes
/// two threads at most, and a second one only while half of all threads are free, so that a few keys that hang leave
/// room for the others. Whichever run of a key ends first answers all its waiters.
struct SharedJobsStateMachine<Key: Hashable> {
    typealias WaiterID = Int

    private struct Job {
        var waiters: [WaiterID] = []
        /// The threads that it has; none while it is queued.
        var threadCount = 0
        /// Whether its latest run has had a waiter ever since it began.
        var isAttended = true
    }

    private let limits: SharedJobsLimits
    private var jobs: [Key: Job] = [:]
    private var queue = Deque<Key>()
    /// The threads of all jobs.
    private(set) var threadCount = 0

    init(limits: SharedJobsLimits) {
        self.limits = limits
    }

    /// How many jobs wait for a thread.
    var queuedCount: Int { queue.count }

    var isUnused: Bool { jobs.isEmpty && queue.isEmpty && threadCount == 0 }

    enum JoinAction: Equatable {
        /// A thread is to be started for the job.
        case start
        /// The job has a thread, or waits for one.
        case wait
        /// As many jobs wait as may; the caller does not.
        case refuse
    }

    /// A caller begins to wait for a key.
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

    /// A caller loses interest; `false` where it does not wait any more.
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

    /// A run has ended: the waiters that it answers, and the job that its thread goes on with.
    mutating func ended(_ key: Key) -> (waiters: [WaiterID], next: Key?) {
        guard var job = jobs[key], job.threadCount > 0 else { preconditionFailure("a job ended that did not run") }
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

/// How many jobs may run and wait at once.
struct SharedJobsLimits {
    /// The threads that there are at most.
    var threadCount: Int
    /// The jobs that may wait for a thread.
    var queuedCount: Int
}
