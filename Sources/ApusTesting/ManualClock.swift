public import Apus
internal import ApusCore
public import Foundation

/// A clock that a test advances by hand, so that time-dependent code is tested without waiting.
///
/// ```swift
/// let clock = ManualClock()
/// var configuration = Session.Configuration()
/// configuration.time = clock
/// …
/// await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(30))
/// ```
public final class ManualClock: SessionClock {
    private struct Sleeper {
        let deadline: MonotonicInstant
        let continuation: UnsafeContinuation<Bool, Never>
    }

    private struct State {
        var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        var wallClock: Date
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var nextSleeper = 0
        var watchers: [(count: Int, continuation: UnsafeContinuation<Void, Never>)] = []
    }

    private let state: Lock<State>

    /// Creates a clock.
    ///
    /// - Parameter wallClock: The initial date. Default: 1 January 2001, 00:00 UTC.
    public init(wallClock: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        self.state = Lock(State(wallClock: wallClock))
    }

    public var now: MonotonicInstant { state.withLock { $0.now } }

    public var wallClock: Date { state.withLock { $0.wallClock } }

    /// The number of tasks that are sleeping.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances both clocks and resumes the tasks whose deadline has passed, the earliest first.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state -> [Sleeper] in
            state.now = state.now.advanced(by: duration)
            state.wallClock += duration.inSeconds
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in woken { sleeper.continuation.resume(returning: true) }
    }

    /// Returns once at least `count` tasks are sleeping.
    public func waitForSleepers(_ count: Int) async {
        await withUnsafeContinuation { continuation in
            let isThere = state.withLock { state in
                let isThere = state.sleepers.count >= count
                if !isThere { state.watchers.append((count, continuation)) }
                return isThere
            }
            if isThere { continuation.resume() }
        }
    }

    public func sleep(until deadline: MonotonicInstant) async throws {
        let number = state.withLock { state in
            defer { state.nextSleeper += 1 }
            return state.nextSleeper
        }
        let hasPassed = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                settle(number, Sleeper(deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            wake(number)
        }
        if !hasPassed { throw CancellationError() }
    }

    private func settle(_ number: Int, _ sleeper: Sleeper) {
        let (result, watchers) = state.withLock { state -> (Bool?, [UnsafeContinuation<Void, Never>]) in
            if state.cancelled.remove(number) != nil { return (false, []) }
            if sleeper.deadline <= state.now { return (true, []) }
            state.sleepers[number] = sleeper
            let reached = state.watchers.filter { $0.count <= state.sleepers.count }
            state.watchers.removeAll { $0.count <= state.sleepers.count }
            return (nil, reached.map(\.continuation))
        }
        if let result { sleeper.continuation.resume(returning: result) }
        for watcher in watchers { watcher.resume() }
    }

    private func wake(_ number: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let sleeper = state.sleepers.removeValue(forKey: number) else {
                state.cancelled.insert(number)
                return nil
            }
            return sleeper
        }
        sleeper?.continuation.resume(returning: false)
    }
}
