internal import Apus
internal import ApusResilience
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

/// Uses all middleware of the module in one session. Each of many requests that fail, hang, are cancelled, are refused
/// with 401 or break off completes once, and nothing is left.
///
/// `APUS_STRESS` is the number of requests. `APUS_SEED` is the seed of the random choices.
@Suite(.serialized) struct ResilienceStressTests {
    private static let count = ProcessInfo.processInfo.environment["APUS_STRESS"].flatMap { Int($0) } ?? 600
    private static let seed = ProcessInfo.processInfo.environment["APUS_SEED"].flatMap { UInt64($0) } ?? 42

    /// A random number generator that all tasks share.
    private final class Chance: Sendable {
        private let state: Lock<UInt64>

        init(seed: UInt64) { state = Lock(seed) }

        func number(below limit: Int) -> Int {
            let number = state.withLock { state in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state >> 33
            }
            return Int(number % UInt64(limit))
        }

        func happens(_ percent: Int) -> Bool { number(below: 100) < percent }

        func yieldRandomly() async { for _ in 0..<number(below: 60) { await Task.yield() } }
    }

    private struct Token: AuthenticationCredential {
        let number: Int

        func requiresRefresh(at now: Date) -> Bool { false }
    }

    /// Fetches tokens through the session whose requests wait for them.
    private struct Service: Authenticator {
        func apply(_ credential: Token, to request: inout RequestMessage) throws {
            try request.fields.set(checking: "Authorization", "Bearer \(credential.number)")
        }

        func refresh(_ credential: Token, for session: Session) async throws -> Token {
            _ = try await session.get("http://h/token")
            return Token(number: credential.number + 1)
        }
    }

    /// A network that is reachable at random.
    private struct FlakyNetwork: NetworkWatch {
        let chance: Chance

        func isReachable() -> Bool { chance.happens(50) }
    }

    /// Returns a transport that responds, fails or hangs at random.
    private static func transport(_ chance: Chance) -> MockTransport {
        MockTransport { request in
            await chance.yieldRandomly()
            switch chance.number(below: 20) {
            case 0: throw ApusError(.connectFailed, "injected failure")
            case 1: throw ApusError(.connectionClosed, "injected failure")
            case 2: return MockResponse(status: .serviceUnavailable, body: "busy")
            case 3: return MockResponse(status: .found, fields: [.location: "http://i/there"], body: "there")
            case 4 where request.target.path != "/token":
                return MockResponse(status: .unauthorized, chunks: [BodyChunk("no"), BodyChunk(", no")])
            case 6:
                let error = ApusError(.connectionClosed, "injected failure")
                return MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")], failure: error)
            case 7:
                // Hangs until it is cancelled by its hedge, the test or a timeout.
                try await Barrier().passUnlessCancelled()
                return MockResponse()
            default: return MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")])
            }
        }
    }

    private struct Parts {
        let deduplication = Deduplication()
        let limiter = ConcurrencyLimiter(3, maximumWaiting: 500)
        let rate = RateLimiter(20_000, burst: 4, maximumWait: .milliseconds(50))
        let offline: OfflineRetrier

        init(_ chance: Chance) {
            offline = OfflineRetrier(
                maximumWait: .milliseconds(5),
                pollInterval: .milliseconds(1),
                maximumWaiting: 8,
                watch: FlakyNetwork(chance: chance)
            )
        }
    }

    private func configuration(_ parts: Parts, _ service: Service) -> Session.Configuration {
        let breaker = CircuitBreaker(minimumRequests: 10, openDuration: .milliseconds(2), trials: 2)
        var configuration = Session.Configuration()
        configuration.requestsInFlight = 16
        configuration.timeouts.request = .milliseconds(200)
        let hedging = Hedging(share: 0.5, fallbackDelay: .milliseconds(2), minimumDelay: .milliseconds(1))
        configuration.middleware = [hedging]
        configuration.networkMiddleware = [parts.deduplication, parts.limiter, breaker, parts.rate]
        configuration.interceptor = Interceptor(
            retriers: [parts.offline],
            interceptors: [AuthenticationInterceptor(authenticator: service, credential: Token(number: 0))]
        )
        return configuration
    }

    @Test(.timeLimit(.minutes(5))) func completesEachRequestOnceAndLeavesNothing() async throws {
        var left = Self.count
        var round: UInt64 = 0
        while left > 0 {
            let size = min(left, 250)
            left -= size
            round += 1
            try await play(size, Chance(seed: Self.seed &+ round))
        }
    }

    private func play(_ size: Int, _ chance: Chance) async throws {
        let parts = Parts(chance)
        let session = Session(configuration: configuration(parts, Service()), transport: Self.transport(chance))
        let completed = LockedValue<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<size {
                group.addTask {
                    await chance.yieldRandomly()
                    await Self.perform(number, session, chance) { completed.change { $0.append(number) } }
                }
            }
        }
        #expect(completed.value.sorted() == Array(0..<size), "seed \(Self.seed)")
        try await assertNothingLeft(session)
        #expect(parts.deduplication.counts == (0, 0), "seed \(Self.seed)")
        #expect(parts.limiter.counts == (0, 0), "seed \(Self.seed)")
        #expect(parts.rate.waitingCount == 0 && parts.offline.waitingCount == 0, "seed \(Self.seed)")
    }

    /// Sends a request, by a handle, as a stream or directly, and calls `complete` each time that it completes.
    private static func perform(
        _ number: Int,
        _ session: Session,
        _ chance: Chance,
        _ complete: @escaping @Sendable () -> Void
    ) async {
        let url = "http://\(chance.happens(80) ? "h" : "i")/\(chance.number(below: 50))"
        if number.isMultiple(of: 3) {
            let request = session.request(url).validate()
            let isOver = Deferred<Void>()
            request.response(queue: .global()) { _ in
                complete()
                isOver.fulfill(())
            }
            await chance.yieldRandomly()
            if chance.happens(10) { request.cancel() }
            return await isOver.value
        }
        let isStream = number % 3 == 1
        let task = Task {
            if isStream {
                let response = try? await session.stream(url)
                if chance.happens(50) {
                    response?.body.discard()
                } else if let response {
                    do { for try await _ in response.body {} } catch {}
                }
            } else {
                _ = try? await session.get(url)
            }
            complete()
        }
        await chance.yieldRandomly()
        if chance.happens(10) { task.cancel() }
        await task.value
    }
}
