internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Testing

@testable internal import ApusCore

/// Adapters and retriers run off the event loop by default, and never on the main thread.
@Suite(.timeLimit(.minutes(5))) struct InterceptorPlacementTests {
    private struct FailingOnce: Transport {
        let loop = LoopStandIn()
        let places: LockedList<String>
        let count = Counter()

        func executor(for origin: Origin) -> (any TaskExecutor)? { loop }

        func send(
            _ request: consuming RequestMessage,
            context: RequestContext,
            record: ExchangeRecord
        ) async throws -> ResponseMessage {
            places.append("transport: \(InterceptorPlacementTests.place)")
            if count.next().isMultiple(of: 2) { throw ApusError(.connectionClosed, "it went away") }
            return ResponseMessage(status: .ok, body: .whole(BodyChunk("ok")), record: record)
        }
    }

    static var place: String {
        if TestQueue.current == LoopStandIn.label { return "loop" }
        return DispatchQueue.getSpecific(key: mainKey) == true ? "main" : "elsewhere"
    }

    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private let places = LockedList<String>()

    private func session(_ handlerExecution: HandlerExecution, _ adapter: Adapter? = nil) -> Session {
        let adapter =
            adapter
            ?? Adapter { [places] request, _ in
                places.append("adapter: \(Self.place)")
                return request
            }
        let failures = Retrier { [places] _, _ in
            places.append("retrier: \(Self.place)")
            return .retry
        }
        let successes = Retrier(reconsidering: { [places] _ in
            places.append("reconsideration: \(Self.place)")
            return .doNotRetry
        })
        var configuration = Session.Configuration()
        configuration.handlerExecution = handlerExecution
        configuration.interceptor = Interceptor(adapters: [adapter], retriers: [failures, successes])
        return Session(configuration: configuration, transport: FailingOnce(places: places))
    }

    private func run(_ session: Session) async throws {
        _ = try await session.get("http://h/")
        for try await _ in try await session.stream("http://h/").body {}
        _ = try await session.request("http://h/").serializingData().value
    }

    @MainActor @Test func runsInterceptorsOffTheLoop() async throws {
        let session = session(.concurrent)
        #expect(Self.place == "main")
        try await run(session)
        for place in places.all {
            #expect(place.hasSuffix(place.hasPrefix("transport") ? ": loop" : ": elsewhere"), "\(place)")
        }
        #expect(places.count { $0.hasPrefix("adapter") } == 6)
        #expect(places.count { $0.hasPrefix("retrier") } == 3)
        #expect(places.count { $0.hasPrefix("reconsideration") } == 3)
        try await assertNothingLeft(session)
    }

    @Test func runsInterceptorsOnTheLoopWhenConfigured() async throws {
        let session = session(.eventLoop)
        _ = try await session.request("http://h/").serializingData().value
        #expect(places.all.allSatisfy { $0.hasSuffix(": loop") }, "\(places.all)")
        try await assertNothingLeft(session)
    }

    @Test func runsSynchronousAdaptersOnTheLoop() async throws {
        let adapter = Adapter.synchronous { [places] _, _ in places.append("adapter: \(Self.place)") }
        let session = session(.concurrent, adapter)
        _ = try await session.request("http://h/").serializingData().value
        #expect(places.all.filter { $0.hasPrefix("adapter") } == ["adapter: loop", "adapter: loop"])
        try await assertNothingLeft(session)
    }

    @Test func resumesAdaptersOnTheLoopWhenConfigured() async throws {
        let adapter = Adapter { [places] request, _ in
            places.append("adapter: \(Self.place)")
            await Task.yield()
            places.append("adapter again: \(Self.place)")
            return request
        }
        let session = session(.eventLoop, adapter)
        _ = try await session.request("http://h/").serializingData().value
        #expect(places.all.allSatisfy { $0.hasSuffix(": loop") }, "\(places.all)")
        #expect(places.count { $0.hasPrefix("adapter again") } == 2)
        try await assertNothingLeft(session)
    }

    /// A transport with two executors, chosen by origin.
    private final class TwoLoops: EventLoopTransport {
        let here = LoopStandIn()
        let there = Elsewhere()
        let places: LockedList<String>

        init(places: LockedList<String>) {
            self.places = places
        }

        final class Elsewhere: TaskExecutor {
            private let loop = TestQueue("apus.tests.interceptors.there")

            func enqueue(_ job: consuming ExecutorJob) {
                let job = UnownedJob(job)
                loop.queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
        }

        func executor(for origin: Origin) -> (any TaskExecutor)? {
            if origin.host == "there" { return there }
            return here
        }

        func wake(for origin: Origin, _ work: @escaping @Sendable () -> Void) {
            places.append("wake \(origin.host): \(TestQueue.current ?? "elsewhere")")
            work()
        }

        func send(
            _ request: consuming RequestMessage,
            context: RequestContext,
            record: ExchangeRecord
        ) async throws -> ResponseMessage {
            places.append("send \(request.target.origin.host): \(TestQueue.current ?? "elsewhere")")
            return ResponseMessage(status: .ok, body: .whole(BodyChunk("ok")), record: record)
        }
    }

    /// A request that an adapter sends to another origin runs on that origin's executor.
    @Test func runsARequestOnTheExecutorOfItsAdaptedOrigin() async throws {
        var configuration = Session.Configuration()
        configuration.interceptor = Interceptor(adapters: [
            Adapter { request, _ in
                var request = request
                request.target = try TargetURI("http://there/")
                return request
            }
        ])
        let session = Session(configuration: configuration, transport: TwoLoops(places: places))
        let request = session.request("http://here/")
        #expect(try await request.serializingString().value == "ok")
        #expect(request.request?.target.origin.host == "there")
        #expect(
            places.all == ["send there: apus.tests.interceptors.there", "wake there: apus.tests.interceptors.there"]
        )
        #expect(try await session.get("http://here/").target.origin.host == "there")
        try await assertNothingLeft(session)
    }
}

extension LockedList {
    func count(where condition: (Element) -> Bool) -> Int { all.count(where: condition) }
}
