public import Apus
internal import ApusCore
public import Foundation

/// A clock that stands still until it is moved by hand: for tests of what takes time, without taking any.
///
/// ```swift
/// let clock = ManualClock()
/// var configuration = Session.Configuration()
/// configuration.time = clock
/// …
/// await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(30))
/// ```
public final class ManualClock: RequestTime {
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

    /// Makes a clock.
    ///
    /// - Parameter wallClock: The date it shows; the first of January 2001 by default.
    public init(wallClock: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        self.state = Lock(State(wallClock: wallClock))
    }

    public var now: MonotonicInstant { state.withLock { $0.now } }

    public var wallClock: Date { state.withLock { $0.wallClock } }

    /// How many sleep now.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Moves both clocks on, and wakes whose time has come, the earliest first.
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

    /// Returns when at least `count` sleep.
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
        let (answer, watchers) = state.withLock { state -> (Bool?, [UnsafeContinuation<Void, Never>]) in
            if state.cancelled.remove(number) != nil { return (false, []) }
            if sleeper.deadline <= state.now { return (true, []) }
            state.sleepers[number] = sleeper
            let reached = state.watchers.filter { $0.count <= state.sleepers.count }
            state.watchers.removeAll { $0.count <= state.sleepers.count }
            return (nil, reached.map(\.continuation))
        }
        if let answer { sleeper.continuation.resume(returning: answer) }
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
