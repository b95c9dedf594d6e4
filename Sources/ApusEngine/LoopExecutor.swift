internal import ApusCore
internal import Dispatch
internal import NIOCore

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

/// Runs a request on an event loop for a task that waits elsewhere, and its last part on the way back to that.
///
/// What the loop resumes has an answer, as a rule, and returns to its caller: with all others that were answered in the
/// same turn it runs on a thread of the pool where callers wait. To leave the loop one by one would wake such a thread for
/// each of them, and a thread that wakes interrupts the loop.
final class GuestExecutor: TaskExecutor {
    private let jobs: LoopJobs

    init(_ jobs: LoopJobs) {
        self.jobs = jobs
    }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job), of: asUnownedTaskExecutor(), isLeaving: jobs.loop.inEventLoop)
    }
}

/// The jobs of a loop's executors. They gather in a list that one turn of the loop drains: a hundred jobs wake the loop
/// once.
final class LoopJobs: Sendable {
    private struct Entry: Sendable {
        let job: UnownedJob
        let executor: UnownedTaskExecutor
        let isLeaving: Bool

        func run() { job.runSynchronously(on: executor) }
    }

    private struct State {
        var endOfTurn: [@Sendable () -> Void] = []
        var entries: [Entry] = []
        var spare: [Entry] = []
        var isScheduled = false
    }

    /// So many jobs that leave go together; more go to several threads.
    private static let companySize = 64

    let loop: any EventLoop
    private let state = Lock(State())

    init(loop: any EventLoop) {
        self.loop = loop
    }

    func append(_ job: UnownedJob, of executor: UnownedTaskExecutor, isLeaving: Bool = false) {
        let schedules = state.withLock { state in
            state.entries.append(Entry(job: job, executor: executor, isLeaving: isLeaving))
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
        var entries = state.withLock { state in
            let entries = state.entries
            state.entries = state.spare
            state.spare = []
            return entries
        }
        var leaving: [Entry] = []
        for entry in entries {
            if entry.isLeaving { leaving.append(entry) } else { entry.run() }
        }
        // For one alone another thread wakes anyway.
        if leaving.count == 1 { leaving.removeLast().run() }
        entries.removeAll(keepingCapacity: true)
        let (isEmpty, endOfTurn) = state.withLock { state in
            state.spare = entries
            state.isScheduled = !state.entries.isEmpty
            defer { state.endOfTurn = [] }
            return (state.entries.isEmpty, state.endOfTurn)
        }
        if !isEmpty { schedule() }
        for work in endOfTurn { work() }
        leave(leaving)
    }

    private func leave(_ entries: [Entry]) {
        var rest = entries[...]
        while !rest.isEmpty {
            let company = rest.prefix(Self.companySize)
            rest = rest.dropFirst(Self.companySize)
            let priority = company.reduce(0) { max($0, $1.job.priority.rawValue) }
            DispatchQueue.global(qos: Self.quality(ofPriority: priority)).async { for entry in company { entry.run() } }
        }
    }

    /// The pool where tasks of a priority run.
    private static func quality(ofPriority priority: UInt8) -> DispatchQoS.QoSClass {
        switch TaskPriority(rawValue: priority) {
        case .high...: .userInitiated
        case .medium...: .default
        case .low...: .utility
        case .background...: .background
        default: .default
        }
    }

    /// Runs `work` when the jobs of this turn have run; now, where there is none.
    func atEndOfTurn(_ work: @escaping @Sendable () -> Void) {
        let isTurning = state.withLock { state in
            if state.isScheduled { state.endOfTurn.append(work) }
            return state.isScheduled
        }
        if !isTurning { work() }
    }
}
