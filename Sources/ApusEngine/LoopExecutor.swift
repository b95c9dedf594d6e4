internal import ApusCore
internal import Dispatch
internal import NIOCore
internal import Synchronization

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

/// Runs the request of a caller on the global executor.
///
/// The request runs on the event loop. If its whole answer has come, and other requests were answered in the same turn,
/// their last parts leave the loop together and run on one thread of the global executor. If each left by itself, each
/// would wake such a thread, which interrupts the loop on a busy core. A request that is alone, and one that goes on (a
/// streamed content, a redirect, a challenge), stays on the loop.
final class GuestExecutor: TaskExecutor {
    private let jobs: LoopJobs

    init(_ jobs: LoopJobs) {
        self.jobs = jobs
    }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job), of: asUnownedTaskExecutor(), isLeaving: jobs.isAnswering)
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
        var endOfTurn: [EndOfTurn] = []
        var entries: [Entry] = []
        var spare: [Entry] = []
        var isScheduled = false
    }

    /// What runs when the jobs have run. A value of its own, since a closure in a generic list has another around it.
    private struct EndOfTurn: Sendable {
        let run: @Sendable () -> Void
    }

    /// How many leaving jobs one thread runs at most.
    private static let companySize = 64

    let loop: any EventLoop
    private let state = Lock(State())
    /// Written on the loop alone.
    private let isInAnswer = Atomic(false)

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

    /// Has `resume` resume the task of a request that has its whole answer, or its error. On the loop.
    func answering(_ resume: () -> Void) {
        isInAnswer.store(true, ordering: .relaxed)
        resume()
        isInAnswer.store(false, ordering: .relaxed)
    }

    /// Whether the caller resumes such a task.
    var isAnswering: Bool { loop.inEventLoop && isInAnswer.load(ordering: .relaxed) }

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
        entries.removeAll(keepingCapacity: true)
        let (isEmpty, endOfTurn) = state.withLock { state in
            state.spare = entries
            state.isScheduled = !state.entries.isEmpty
            defer { state.endOfTurn = [] }
            return (state.entries.isEmpty, state.endOfTurn)
        }
        if !isEmpty { schedule() }
        for work in endOfTurn { work.run() }
        // One alone stays: its caller's thread has to be woken in any case.
        if leaving.count == 1 { leaving[0].run() } else { leave(leaving) }
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

    /// Where tasks of a priority run; a background task may become urgent, and runs among those of low priority.
    private static func quality(ofPriority priority: UInt8) -> DispatchQoS.QoSClass {
        switch TaskPriority(rawValue: priority) {
        case TaskPriority(rawValue: 33)...: .userInteractive
        case .high...: .userInitiated
        case .medium...: .default
        case .background...: .utility
        default: .default
        }
    }

    /// Runs `work` when the jobs of this turn have run; now, where there is none.
    func atEndOfTurn(_ work: @escaping @Sendable () -> Void) {
        let isTurning = state.withLock { state in
            if state.isScheduled { state.endOfTurn.append(EndOfTurn(run: work)) }
            return state.isScheduled
        }
        if !isTurning { work() }
    }
}
