internal import ApusCore

/// Runs blocking work on its own threads, which start on demand and end when no work is left.
///
/// Callers that ask for the same key at the same time share one run and its result. A queued job whose waiters have all
/// withdrawn is not started.
final class SharedJobs<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Completion = @Sendable (Result<Value, ApusError>) -> Void

    private struct State {
        var machine: SharedJobsStateMachine<Key>
        var completions: [Int: Completion] = [:]
        var latestWaiter = 0
    }

    private let limits: SharedJobsLimits
    private let state: Lock<State>
    private let refusal: @Sendable (SharedJobsRefusal) -> ApusError
    private let work: @Sendable (Key) -> Result<Value, ApusError>

    /// - Parameters:
    ///   - limits: The limits for running and queued jobs.
    ///   - refusal: Creates the error for a job that was not started.
    ///   - work: Creates the result for a key. It may block.
    init(
        limits: SharedJobsLimits,
        refusal: @escaping @Sendable (SharedJobsRefusal) -> ApusError,
        work: @escaping @Sendable (Key) -> Result<Value, ApusError>
    ) {
        self.limits = limits
        self.state = Lock(State(machine: SharedJobsStateMachine(limits: limits)))
        self.refusal = refusal
        self.work = work
    }

    /// Calls `completion` once with the result for a key: on a thread of these jobs, or immediately if the job is
    /// rejected. The returned interest can be withdrawn to prevent the call.
    func run(_ key: Key, completion: @escaping Completion) -> JobInterest {
        let (waiter, action) = state.withLock { state in
            state.latestWaiter += 1
            let waiter = state.latestWaiter
            let action = state.machine.join(waiter, for: key)
            if action != .refuse { state.completions[waiter] = completion }
            return (waiter, action)
        }
        switch action {
        case .start: startThread(key)
        case .wait: break
        case .refuse:
            completion(.failure(refusal(.isFull(limits.queuedCount))))
            return .none
        }
        return JobInterest { [self] in withdraw(waiter, from: key) }
    }

    private func withdraw(_ waiter: Int, from key: Key) {
        let completion = state.withLock { state -> Completion? in
            guard state.machine.withdraw(waiter, from: key) else { return nil }
            return state.completions.removeValue(forKey: waiter)
        }
        // Releases its captures outside of the lock.
        withExtendedLifetime(completion) {}
    }

    private func startThread(_ first: Key) {
        var next: Key? = first
        while let key = next {
            if DetachedThread.start({ self.work(through: key) }) { return }
            next = end(key, .failure(refusal(.hasNoThread)))
        }
    }

    /// Runs the first job of a thread, then queued jobs until none is left.
    private func work(through first: Key) {
        var next: Key? = first
        while let key = next { next = end(key, work(key)) }
    }

    /// Completes the waiters of a finished job. Returns the next job for its thread.
    private func end(_ key: Key, _ outcome: Result<Value, ApusError>) -> Key? {
        let (completions, next) = state.withLock { state -> ([Completion], Key?) in
            let (waiters, next) = state.machine.ended(key)
            return (waiters.compactMap { state.completions.removeValue(forKey: $0) }, next)
        }
        for completion in completions { completion(outcome) }
        return next
    }
}

/// The reason why a job was not started.
enum SharedJobsRefusal {
    /// The queue is full, with this many jobs.
    case isFull(Int)
    case hasNoThread

    /// The reason, as the end of a sentence.
    var formatted: String {
        switch self {
        case .isFull(let count): "\(count) others are already waiting"
        case .hasNoThread: "the system could not start a thread"
        }
    }
}

/// A caller's interest in a pending result.
package struct JobInterest: Sendable {
    /// For a result that was available at once, or a resolver without support for withdrawal.
    package static let none = JobInterest {}

    private let onWithdraw: @Sendable () -> Void

    package init(onWithdraw: @escaping @Sendable () -> Void) {
        self.onWithdraw = onWithdraw
    }

    /// Withdraws the interest. The completion handler is not called after that, unless the call is already in progress.
    package func withdraw() { onWithdraw() }
}
