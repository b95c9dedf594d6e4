internal import ApusCore
internal import Dispatch
internal import NIOCore
internal import Synchronization

/// Collects the jobs of a loop's executors. One turn of the loop drains the list, so a hundred jobs wake the loop once.
final class LoopJobs: Sendable {
    private struct Entry: Sendable {
        let job: UnownedJob
        let executor: UnownedTaskExecutor
        let isLeaving: Bool

        func run() { job.runSynchronously(on: executor) }
    }

    private struct State {
        /// The first work for the end of the turn. Most turns have no more.
        var endOfTurn: EndOfTurn?
        var moreForEndOfTurn: [EndOfTurn] = []
        var entries: [Entry] = []
        var spare: [Entry] = []
        var isScheduled = false
    }

    /// Work to run after the jobs. A struct, because a closure in a generic collection gets wrapped in another closure.
    private struct EndOfTurn: Sendable {
        let run: @Sendable () -> Void
    }

    /// The maximum number of leaving jobs that one thread runs.
    private static let companySize = 64

    let loop: any EventLoop
    private let state = Lock(State())
    /// Written on the loop only.
    private let isInCompletion = Atomic(false)

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

    /// Calls `resume`, which resumes a request's task with its complete response or its error. To be called on the
    /// loop.
    func completing(_ resume: () -> Void) {
        isInCompletion.store(true, ordering: .relaxed)
        resume()
        isInCompletion.store(false, ordering: .relaxed)
    }

    /// Whether the current code runs inside `completing`.
    var isCompleting: Bool { loop.inEventLoop && isInCompletion.load(ordering: .relaxed) }

    private func schedule() {
        loop.execute { self.drain() }
    }

    /// Runs the collected jobs. Jobs added during this call run later, after the loop has performed I/O.
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
        let (isEmpty, endOfTurn, more) = state.withLock { state in
            state.spare = entries
            state.isScheduled = !state.entries.isEmpty
            defer {
                state.endOfTurn = nil
                if !state.moreForEndOfTurn.isEmpty { state.moreForEndOfTurn = [] }
            }
            return (state.entries.isEmpty, state.endOfTurn, state.moreForEndOfTurn)
        }
        if !isEmpty { schedule() }
        endOfTurn?.run()
        for work in more { work.run() }
        // A single job stays here, since its caller's thread has to be woken anyway.
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

    /// Returns the quality of service for a priority. A background task may be escalated later and runs as `.utility`.
    private static func quality(ofPriority priority: UInt8) -> DispatchQoS.QoSClass {
        switch TaskPriority(rawValue: priority) {
        case TaskPriority(rawValue: 33)...: .userInteractive
        case .high...: .userInitiated
        case .medium...: .default
        case .background...: .utility
        default: .default
        }
    }

    /// Runs `work` after the jobs of this turn, or immediately if none are scheduled.
    func atEndOfTurn(_ work: @escaping @Sendable () -> Void) {
        let isTurning = state.withLock { state in
            guard state.isScheduled else { return false }
            if state.endOfTurn == nil {
                state.endOfTurn = EndOfTurn(run: work)
            } else {
                state.moreForEndOfTurn.append(EndOfTurn(run: work))
            }
            return true
        }
        if !isTurning { work() }
    }
}
