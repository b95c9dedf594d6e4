internal import ApusCore
internal import Dispatch
internal import NIOPosix
internal import Testing

@testable internal import ApusEngine

/// How many lookups may wait for a thread.
///
/// The threads belong to the process, and so does the limit: what takes them all runs in a process of its own, since
/// other tests have hosts to look up. Addresses are looked up, which no name server is asked for.
@Suite(.timeLimit(.minutes(5))) struct LookupLimitTests {
    @Test(arguments: [HostAddress("127.0.0.1", isIPv6: false), HostAddress("::1", isIPv6: true)])
    func anAddressIsItsOwnAnswer(address: HostAddress) async throws {
        let answer = Deferred<Result<[HostAddress], ApusError>>()
        SystemResolver().resolve(address.text) { answer.fulfill($0) }
        #expect(try await answer.value.get() == [address])
    }

    /// Twice: neither what was refused nor what is over stays in the count.
    @Test func asManyAsTheLimitWaitAndOneMoreIsRefused() async {
        await #expect(processExitsWith: .success) {
            let threads = BlockingThreads.lookups
            try #require(threads.numberOfThreads == 8)
            for _ in 0..<2 {
                let work = HeldWork(count: threads.numberOfThreads)
                for _ in 0..<threads.numberOfThreads { threads.submit { _ in work.hold() } }
                await work.isUnderWay()
                let waiting = Lookups(count: 1024)
                try #require(waiting.answerCount == 0)
                let refused = Lookups(count: 2)
                try #require(refused.answerCount == 2)
                try #require(refused.failures == [.resolveFailed, .resolveFailed])
                work.letGo()
                await waiting.areOver()
                try #require(waiting.failures == [])
            }
        }
    }

    @Test func lookupsThatRunAreNotAmongThoseThatWait() async {
        await #expect(processExitsWith: .success) {
            let threadCount = BlockingThreads.lookups.numberOfThreads
            let work = HeldWork(count: threadCount)
            for _ in 0..<threadCount { SystemResolver().resolve("127.0.0.1") { _ in work.hold() } }
            await work.isUnderWay()
            let waiting = Lookups(count: 1024)
            try #require(waiting.answerCount == 0)
            let refused = Lookups(count: 1)
            try #require(refused.failures == [.resolveFailed])
            work.letGo()
            await waiting.areOver()
            try #require(waiting.failures == [])
        }
    }
}

/// Work that holds its threads until it is let go.
private final class HeldWork: Sendable {
    private let count: Int
    private let arrivedCount = Lock(0)
    private let haveAllArrived = Deferred<Bool>()
    /// Stands still until the work is let go.
    private let door = DispatchQueue(label: "apus.tests.held-work")

    init(count: Int) {
        self.count = count
        door.suspend()
    }

    /// Blocks the thread that it is called on.
    func hold() {
        let number = arrivedCount.withLock { arrivedCount -> Int in
            arrivedCount += 1
            return arrivedCount
        }
        if number == count { haveAllArrived.fulfill(true) }
        door.sync {}
    }

    /// Returns when every thread is held.
    func isUnderWay() async { _ = await haveAllArrived.value }

    func letGo() { door.resume() }
}

/// Lookups of an address, begun all at once.
private final class Lookups: Sendable {
    private let count: Int
    private let answers = Lock<[Result<[HostAddress], ApusError>]>([])
    private let haveAllAnswered = Deferred<Bool>()

    init(count: Int) {
        self.count = count
        for _ in 0..<count { SystemResolver().resolve("127.0.0.1") { self.take($0) } }
    }

    var answerCount: Int { answers.withLock { $0.count } }

    /// The codes of the errors among the answers.
    var failures: [ApusError.Code] {
        answers.withLock { answers in
            answers.compactMap { answer -> ApusError.Code? in
                if case .failure(let error) = answer { error.code } else { nil }
            }
        }
    }

    /// Returns when each has its answer.
    func areOver() async { _ = await haveAllAnswered.value }

    private func take(_ answer: Result<[HostAddress], ApusError>) {
        let answerCount = answers.withLock { answers -> Int in
            answers.append(answer)
            return answers.count
        }
        if answerCount == count { haveAllAnswered.fulfill(true) }
    }
}
