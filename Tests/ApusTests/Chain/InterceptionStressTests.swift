import Apus
import ApusTestServer
import ApusTesting
import Dispatch
import Foundation
import HTTPTypes
import Testing

/// Sends thousands of requests that fail, are retried, delayed or cancelled, or lose their session. Each completes once
/// and leaves no resources behind.
///
/// `APUS_STRESS` sets the number of requests. `APUS_SEED` repeats a run's random choices.
@Suite(.serialized) struct InterceptionStressTests {
    private static let count = ProcessInfo.processInfo.environment["APUS_STRESS"].flatMap { Int($0) } ?? 2000
    private static let seed = ProcessInfo.processInfo.environment["APUS_SEED"].flatMap { UInt64($0) } ?? 42

    /// A thread-safe source of random choices.
    private final class Chance: Sendable {
        private let generator: Lock<SeededGenerator>

        init(seed: UInt64) { generator = Lock(SeededGenerator(seed: seed)) }

        func number(below limit: Int) -> Int { generator.withLock { Int.random(in: 0..<limit, using: &$0) } }

        func occurs(_ percent: Int) -> Bool { number(below: 100) < percent }

        func yieldSomeTimes() async { for _ in 0..<number(below: 60) { await Task.yield() } }
    }

    /// A connection that fails at random.
    private struct FaultyWire: Middleware {
        let chance: Chance

        func handle(
            _ request: consuming RequestMessage,
            context: RequestContext,
            next: Next
        ) async throws -> ResponseMessage {
            if chance.occurs(25) { throw ApusError(.connectionClosed, "the test closed it") }
            return try await next(request, context: context)
        }
    }

    private struct RandomRetrier: ResponseRetrier {
        let chance: Chance

        func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult { await decide(attempt, 60) }

        func reconsider(_ attempt: RequestAttempt) async -> RetryResult { await decide(attempt, 10) }

        private func decide(_ attempt: RequestAttempt, _ percent: Int) async -> RetryResult {
            await chance.yieldSomeTimes()
            guard attempt.retryCount < 4, chance.occurs(percent) else { return .doNotRetry }
            return chance.occurs(50) ? .retry : .retryWithDelay(.microseconds(chance.number(below: 3000)))
        }
    }

    /// The numbers of the completed requests, one entry per completion.
    private final class Completions: Sendable {
        private let stored = Lock<[Int]>([])

        func note(_ number: Int) { stored.withLock { $0.append(number) } }

        var numbers: [Int] { stored.withLock { $0.sorted() } }
    }

    private struct Fault: Error {}

    private func configuration(_ chance: Chance) -> Session.Configuration {
        let adapter = Adapter { request, context in
            await chance.yieldSomeTimes()
            if chance.occurs(3) { throw Fault() }
            var request = request
            request.fields[.from] = "\(context.retryCount)"
            return request
        }
        var configuration = Session.Configuration()
        configuration.requestsInFlight = 12
        configuration.pool.connectionsPerOrigin = 4
        configuration.networkMiddleware = [FaultyWire(chance: chance)]
        configuration.interceptor = Interceptor(
            adapters: [adapter],
            retriers: [RandomRetrier(chance: chance), RetryPolicy(retryLimit: 1, scale: .milliseconds(1))]
        )
        return configuration
    }

    @Test(.timeLimit(.minutes(15)))
    func completesEachRequestOnceHoweverOftenItIsRetried() async throws {
        let server = try await TestServer.start()
        var generator = SeededGenerator(seed: Self.seed)
        var left = Self.count
        while left > 0 {
            let size = min(left, 200)
            left -= size
            try await runBatch(size, server, Chance(seed: generator.next()))
        }
        await server.waitForOpenConnections(0)
        await server.stop()
    }

    private func runBatch(_ size: Int, _ server: TestServer, _ chance: Chance) async throws {
        let session = Session(configuration: configuration(chance))
        let completions = Completions()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<size {
                group.addTask {
                    await chance.yieldSomeTimes()
                    await Self.perform(number, server, session, chance) { completions.note(number) }
                }
            }
            group.addTask { await Self.end(session, chance) }
        }
        #expect(completions.numbers == Array(0..<size), "seed \(Self.seed)")
        try await assertNothingLeft(session)
    }

    /// Cancels all requests, shuts the session down, or leaves it alone.
    private static func end(_ session: Session, _ chance: Chance) async {
        for _ in 0..<20 { await chance.yieldSomeTimes() }
        switch chance.number(below: 4) {
        case 0: await session.cancelAllRequests()
        case 1: await session.shutdown(within: .zero)
        case 2: await session.shutdown(within: .milliseconds(chance.number(below: 20)))
        default: break
        }
    }

    /// Sends a request with a handle or directly, and calls `complete` each time that its outcome is reported.
    private static func perform(
        _ number: Int,
        _ server: TestServer,
        _ session: Session,
        _ chance: Chance,
        _ complete: @escaping @Sendable () -> Void
    ) async {
        let paths = ["/get", "/bytes/100", "/redirect/2", "/chunked/20", "/status/503", "/close"]
        let url = server.url(paths[chance.number(below: paths.count)])
        guard number.isMultiple(of: 2) else {
            let task = Task {
                _ = try? await session.get(url)
                complete()
            }
            await chance.yieldSomeTimes()
            if chance.occurs(20) { task.cancel() }
            return await task.value
        }
        let request = session.request(url)
        if chance.occurs(50) { request.validate() }
        let isOver = Gate()
        request.response(queue: .global()) { _ in
            complete()
            isOver.open()
        }
        for _ in 0..<chance.number(below: 4) {
            await chance.yieldSomeTimes()
            request.suspend()
            await chance.yieldSomeTimes()
            request.resume()
        }
        if chance.occurs(20) { request.cancel() }
        await isOver.wait()
    }
}
