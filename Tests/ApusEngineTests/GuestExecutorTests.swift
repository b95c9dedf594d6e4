import Dispatch
import NIOCore
import NIOPosix
import Testing

@testable import ApusCore
@testable import ApusEngine

/// Where a request runs whose caller waits elsewhere.
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

    /// Resumes `count` waiting guests in one turn of the loop, and returns whether each of them began and ended on it.
    private func places(ofGuests count: Int, isAnswer: Bool = true) async -> [Bool] {
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
                    if isAnswer { jobs.answering { continuation.resume() } } else { continuation.resume() }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("begins on the loop, and ends there if it is alone")
    func aloneStays() async {
        #expect(await places(ofGuests: 1) == [true])
    }

    @Test("ends elsewhere if others are answered in the same turn", arguments: [2, 64, 65, 1000])
    func manyLeave(count: Int) async {
        let places = await places(ofGuests: count)
        #expect(places.count == count)
        // The continuations that stand in under the thread sanitizer resume their tasks later, from elsewhere.
        #if !APUS_TSAN
            #expect(!places.contains(true))
        #endif
    }

    @Test("stays on the loop for what is not its last part", arguments: [1, 100])
    func othersStay(count: Int) async {
        let places = await places(ofGuests: count, isAnswer: false)
        #expect(places.count == count)
        #expect(!places.contains(false))
    }

    @Test("runs on the loop whatever comes from elsewhere", arguments: [1, 300])
    func comesBack(count: Int) async {
        let onLoop = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask(executorPreference: guests) { @Sendable in
                    await offLoop { #expect(!loop.inEventLoop) }
                    return loop.inEventLoop
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(onLoop == count)
    }

    @Test("leaves those alone who prefer the loop")
    func preferringTheLoopStays() async {
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
                for continuation in waiting.withLock({ $0 }) { jobs.answering { continuation.resume() } }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(stayed == 100)
    }

    @Test("is sent at the end of the turn in which it came")
    func endOfTurn() async {
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
