import Dispatch
import NIOCore
import NIOPosix
import Testing

@testable import ApusCore
@testable import ApusEngine

/// The executor of a request whose caller waits elsewhere.
@Suite("A guest of an event loop", .timeLimit(.minutes(5)))
struct GuestExecutorTests: Sendable {
    private let loop: any EventLoop
    private let jobs: LoopJobs
    private let guests: GuestExecutor

    init() {
        loop = MultiThreadedEventLoopGroup.singleton.next()
        jobs = LoopJobs(loop: loop)
        guests = GuestExecutor(jobs)
    }

    /// Resumes `count` waiting guests in one turn of the loop, and returns whether each began and ended on it.
    private func areOnLoop(ofGuests count: Int, completesCall: Bool = true) async -> [Bool] {
        let waiting = Lock<[UnsafeContinuation<Void, Never>]>([])
        return await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask(executorPreference: guests) { @Sendable in
                    let isOnLoop = loop.inEventLoop
                    await withUnsafeContinuation { continuation in waiting.withLock { $0.append(continuation) } }
                    return isOnLoop && loop.inEventLoop
                }
            }
            while waiting.withLock({ $0.count }) < count { await Task.yield() }
            loop.execute {
                for continuation in waiting.withLock({ $0 }) {
                    if completesCall { jobs.completing { continuation.resume() } } else { continuation.resume() }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("begins on the loop, and ends there if it is alone")
    func staysOnTheLoopIfAlone() async {
        #expect(await areOnLoop(ofGuests: 1) == [true])
    }

    @Test("ends elsewhere if others are resumed in the same turn", arguments: [2, 64, 65, 1000])
    func leavesTheLoopIfManyAreResumed(count: Int) async {
        let areOnLoop = await areOnLoop(ofGuests: count)
        #expect(areOnLoop.count == count)
        // Under the thread sanitizer, replacement continuations resume their tasks later, from elsewhere.
        #if !APUS_TSAN
            #expect(!areOnLoop.contains(true))
        #endif
    }

    @Test("stays on the loop before its last part", arguments: [1, 100])
    func staysOnTheLoopBeforeItsLastPart(count: Int) async {
        let areOnLoop = await areOnLoop(ofGuests: count, completesCall: false)
        #expect(areOnLoop.count == count)
        #expect(!areOnLoop.contains(false))
    }

    @Test("returns to the loop after work elsewhere", arguments: [1, 300])
    func returnsToTheLoop(count: Int) async {
        let onLoop = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask(executorPreference: guests) { @Sendable in
                    await offEventLoop { #expect(!loop.inEventLoop) }
                    return loop.inEventLoop
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(onLoop == count)
    }

    @Test("does not move tasks that prefer the loop")
    func doesNotMoveLoopTasks() async {
        let executor = LoopExecutor(jobs)
        let waiting = Lock<[UnsafeContinuation<Void, Never>]>([])
        let stayed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask(executorPreference: executor) { @Sendable in
                    await withUnsafeContinuation { continuation in waiting.withLock { $0.append(continuation) } }
                    return loop.inEventLoop
                }
            }
            while waiting.withLock({ $0.count }) < 100 { await Task.yield() }
            loop.execute {
                for continuation in waiting.withLock({ $0 }) { jobs.completing { continuation.resume() } }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(stayed == 100)
    }

    @Test("runs end-of-turn work in the same turn")
    func runsAtTheEndOfTheTurn() async {
        let order = Lock<[String]>([])
        await withTaskGroup { group in
            for number in 0..<3 {
                group.addTask(executorPreference: guests) { @Sendable in
                    jobs.atEndOfTurn { order.withLock { $0.append("sent") } }
                    order.withLock { $0.append("written \(number)") }
                }
            }
        }
        await withUnsafeContinuation { continuation in loop.execute { continuation.resume() } }
        #expect(order.withLock { all in all.filter { $0 == "sent" }.count } == 3)
        #expect(order.withLock { $0.first } != "sent")
    }
}
