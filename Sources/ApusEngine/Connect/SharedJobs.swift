internal import ApusCore

/// Runs work that blocks, on threads of its own that start when they are needed and end when nothing is left to do.
///
/// Callers that ask for the same key at the same time share one run and its outcome. A caller that has lost its
/// interest costs nothing: a job that has no waiters left is not started.
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
    ///   - limits: How many jobs may run and wait at once.
    ///   - refusal: Makes the error of a job that was not started.
    ///   - work: Makes the outcome for a key. It may block.
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

    /// Calls `completion` once with the outcome for a key, on a thread of its own or now, unless the interest that is
    /// returned is withdrawn before.
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
        // Its captures are released here, outside of the lock.
        withExtendedLifetime(completion) {}
    }

    private func startThread(_ first: Key) {
        var next: Key? = first
        while let key = next {
            if DetachedThread.start({ self.work(through: key) }) { return }
            next = end(key, .failure(refusal(.hasNoThread)))
        }
    }

    /// Runs the first job of a thread, then queued ones, until none is left.
    private func work(through first: Key) {
        var next: Key? = first
        while let key = next { next = end(key, work(key)) }
    }

    /// Answers the waiters of a job that has ended; returns the job that its thread goes on with.
    private func end(_ key: Key, _ outcome: Result<Value, ApusError>) -> Key? {
        let (completions, next) = state.withLock { state -> ([Completion], Key?) in
            let (waiters, next) = state.machine.ended(key)
            return (waiters.compactMap { state.completions.removeValue(forKey: $0) }, next)
        }
        for completion in completions { completion(outcome) }
        return next
    }
}

/// Why a job was not started.
enum SharedJobsRefusal {
    /// So many others wait for a thread.
    case isFull(Int)
    case hasNoThread

    /// The reason, as the end of a sentence.
    var spoken: String {
        switch self {
        case .isFull(let count): "\(count) others wait already"
        case .hasNoThread: "the system could not start a thread"
        }
    }
}

/// The interest of a caller in an outcome that is not there yet.
package struct JobInterest: Sendable {
    /// For an outcome that is there already, or for a resolver that knows no withdrawal.
    package static let none = JobInterest {}

    private let onWithdraw: @Sendable () -> Void

    package init(onWithdraw: @escaping @Sendable () -> Void) {
        self.onWithdraw = onWithdraw
    }

    /// Ends the wait; the completion is not called any more unless it is under way.
    package func withdraw() { onWithdraw() }
}
