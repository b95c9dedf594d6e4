import Apus
import ApusTestServer
import ApusTesting
import Dispatch
import Foundation
import HTTPTypes
import Testing

/// Sends thousands of requests and cancels many at random points. Each completes once and leaves no resources behind.
///
/// `APUS_STRESS` sets the number of requests, for a process that runs only this suite. `APUS_SEED` repeats a run.
@Suite(.serialized) struct StressTests {
    /// Whether the process runs only this suite. Otherwise its memory growth is not meaningful.
    private static let isAlone = ProcessInfo.processInfo.environment["APUS_STRESS"] != nil
    private static let count = ProcessInfo.processInfo.environment["APUS_STRESS"].flatMap { Int($0) } ?? 5000
    private static let seed = ProcessInfo.processInfo.environment["APUS_SEED"].flatMap { UInt64($0) } ?? 42

    /// The point at which a request is cancelled.
    private enum StopPoint: CaseIterable {
        case never
        case beforeTheStart
        /// At any stage: queued, sending or receiving.
        case atARandomMoment
        /// The name server never responds.
        case inTheLookup
        /// The handshake never ends. Over plain TCP: at any stage.
        case inTheHandshake
        /// By its own body, after a few chunks were requested.
        case whileSending
        case whileReceiving
        case inASerializer
        case afterTheEnd

        /// Whether some of the requests cancelled at this point must fail with `cancelled`.
        var endsInCancellation: Bool {
            switch self {
            case .never, .inASerializer, .afterTheEnd: false
            case .beforeTheStart, .atARandomMoment, .inTheLookup, .inTheHandshake, .whileSending, .whileReceiving: true
            }
        }
    }

    /// The URLs that requests go to.
    private struct Endpoints {
        let origin: String
        let unresolved: String
        let stalled: String
    }

    private struct Job: Sendable {
        let point: StopPoint
        let usesHandle: Bool
        let message: RequestMessage
        let yieldCount: Int
        /// Fired by the body of a request that is cancelled while it is sent.
        let trigger = Trigger()

        init(_ number: Int, _ endpoints: Endpoints, _ generator: inout SeededGenerator) throws {
            point =
                Bool.random(using: &generator) ? .never : StopPoint.allCases.randomElement(using: &generator) ?? .never
            usesHandle = number.isMultiple(of: 2)
            yieldCount = Int.random(in: 0..<300, using: &generator)
            switch point {
            case .inTheLookup: message = try RequestMessage(endpoints.unresolved)
            case .inTheHandshake: message = try RequestMessage(endpoints.stalled)
            case .whileSending:
                let trigger = trigger
                let body = RequestBody.replayable {
                    let requested = Tally()
                    return AsyncStream<BodyChunk>(unfolding: {
                        if requested.countUp() == 4 { trigger.fire() }
                        return requested.value < 1000 ? BodyChunk(repeatElement(0x78, count: 4096)) : nil
                    })
                }
                message = try RequestMessage(endpoints.origin + "/upload", method: .post, body: body)
            default: message = try Self.ordinary(endpoints.origin, &generator)
            }
        }

        private static func ordinary(_ origin: String, _ generator: inout SeededGenerator) throws -> RequestMessage {
            let path =
                ["/get", "/bytes/100", "/bytes/300000", "/chunked/20", "/close", "/redirect/2", "/gzip", "/upload"]
                .randomElement(using: &generator) ?? "/get"
            let content = RequestBody.bytes(Data(count: Int.random(in: 1...400_000, using: &generator)))
            let stream = RequestBody.replayable {
                AsyncStream<BodyChunk> { stream in
                    for _ in 0..<10 { stream.yield(BodyChunk("a chunk of ten")) }
                    stream.finish()
                }
            }
            return try RequestMessage(
                origin + path,
                method: path == "/upload" ? .post : .get,
                body: path == "/upload" ? (Bool.random(using: &generator) ? content : stream) : .none
            )
        }
    }

    /// Runs a cancellation when fired, even if it is set only after that.
    private final class Trigger: Sendable {
        private let state = Lock<(isFired: Bool, action: (@Sendable () -> Void)?)>((false, nil))

        func fire() {
            state.withLock { state in
                state.isFired = true
                return state.action
            }?()
        }

        /// Releases the cancellation, which may retain this object.
        func clear() { state.withLock { $0.action = nil } }

        func set(_ action: @escaping @Sendable () -> Void) {
            let isFired = state.withLock { state in
                state.action = action
                return state.isFired
            }
            if isFired { action() }
        }
    }

    /// Counts the outcomes of the jobs.
    private final class Results: Sendable {
        let completed = Tally()
        let succeeded = Tally()
        private let unexpectedCodes = Lock<[ApusError.Code?: Int]>([:])
        private let cancelled = Lock<[StopPoint: Int]>([:])

        func record(_ code: ApusError.Code?, of job: Job) {
            completed.countUp()
            switch code {
            case nil: succeeded.countUp()
            case .cancelled? where job.point != .never:
                cancelled.withLock { $0[job.point, default: 0] += 1 }
            default: unexpectedCodes.withLock { $0[code, default: 0] += 1 }
            }
        }

        var unexpected: [ApusError.Code?: Int] { unexpectedCodes.withLock { $0 } }

        func cancelled(_ point: StopPoint) -> Int { cancelled.withLock { $0[point] ?? 0 } }
    }

    private struct CancellingSerializer: ResponseSerializer {
        let task: Cancellable

        func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Int {
            task.cancel()
            return data.count
        }
    }

    /// Lets a serializer cancel its own request.
    private final class Cancellable: Sendable {
        private let request: DataRequest

        init(_ request: DataRequest) { self.request = request }

        func cancel() { request.cancel() }
    }

    /// Parity: AF-fault-stress
    @Test(.timeLimit(.minutes(15)), arguments: Wire.allCases)
    func completesEachRequestOnceAndLeavesNothing(wire: Wire) async throws {
        let server = try await TestServer.start(tls: wire.tls, recordLimit: 0)
        var stalling = wire.tls
        stalling?.handshakeStalls = true
        let stalled = try await TestServer.start(tls: stalling, behavior: .script([.expectHead, .silence]))
        let isResolved = Gate()
        let session = wire.session(resolver: ScriptedResolver(after: isResolved, onlyFor: "unresolved.test")) {
            $0.requestsInFlight = 24
            $0.pool.connectionsPerOrigin = 6
        }
        let origin = wire.named(server, "")
        let endpoints = Endpoints(
            origin: origin,
            unresolved: "\(wire == .tls ? "https" : "http")://unresolved.test/",
            stalled: wire.named(stalled)
        )
        let results = Results()
        var generator = SeededGenerator(seed: Self.seed)
        let half = (wire == .plain ? Self.count : Self.count / 5) / 2
        try await run(half, endpoints, session, results, &generator)
        let before = Self.residentBytes
        try await run(half, endpoints, session, results, &generator)
        let growth = Self.residentBytes - before
        #expect(results.completed.value == 2 * half)
        #expect(results.unexpected.isEmpty, "seed \(Self.seed)")
        #expect(results.succeeded.value > half)
        for point in StopPoint.allCases.filter(\.endsInCancellation) {
            #expect(results.cancelled(point) > 0, "\(point)")
        }
        if Self.isAlone { #expect(growth < 24 << 20) }
        try await session.get(origin + "/get").validate()
        isResolved.open()
        try await assertNothingLeft(session)
        await server.waitForOpenConnections(0)
        await server.stop()
        await stalled.stop()
    }

    private func run(
        _ count: Int,
        _ endpoints: Endpoints,
        _ session: Session,
        _ results: Results,
        _ generator: inout SeededGenerator
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= 64 { try await group.next() }
                let job = try Job(number, endpoints, &generator)
                group.addTask { await Self.perform(job, session, results) }
            }
            try await group.waitForAll()
        }
    }

    private static func perform(_ job: Job, _ session: Session, _ results: Results) async {
        if job.usesHandle {
            await performByHandle(job, session, results)
        } else {
            await performDirectly(job, session, results)
        }
    }

    private static func performDirectly(_ job: Job, _ session: Session, _ results: Results) async {
        let task = Task {
            if job.point == .beforeTheStart { await Gate().wait() }
            let form: Form = job.point == .whileReceiving ? .stream : .direct
            guard form == .stream else {
                return results.record(await form.outcome(of: job.message, on: session).code, of: job)
            }
            results.record(await firstChunk(of: job, session), of: job)
        }
        switch job.point {
        case .never, .whileReceiving, .inASerializer: break
        case .beforeTheStart: task.cancel()
        case .whileSending: job.trigger.set { task.cancel() }
        case .atARandomMoment, .inTheLookup, .inTheHandshake:
            for _ in 0..<job.yieldCount { await Task.yield() }
            task.cancel()
        case .afterTheEnd:
            await task.value
            task.cancel()
        }
        await task.value
        job.trigger.clear()
    }

    /// Reads the first chunk of a body and discards the rest.
    private static func firstChunk(of job: Job, _ session: Session) async -> ApusError.Code? {
        do throws(ApusError) {
            let response = try await session.stream(job.message)
            for try await _ in response.body { break }
            return nil
        } catch {
            return error.code
        }
    }

    private static func performByHandle(_ job: Job, _ session: Session, _ results: Results) async {
        let request = session.request(job.message)
        let isOver = Gate()
        if job.point == .beforeTheStart { request.cancel() }
        if job.point == .whileReceiving { request.downloadProgress(queue: .global()) { _ in request.cancel() } }
        let serializer = CancellingSerializer(task: Cancellable(request))
        let count = { @Sendable (code: ApusError.Code?) in
            results.record(code, of: job)
            isOver.open()
        }
        if job.point == .inASerializer {
            request.response(queue: .global(), responseSerializer: serializer) { count($0.result.code) }
        } else {
            request.response(queue: .global()) { count($0.result.code) }
        }
        if job.point == .whileSending { job.trigger.set { request.cancel() } }
        if [.atARandomMoment, .inTheLookup, .inTheHandshake].contains(job.point) {
            for _ in 0..<job.yieldCount { await Task.yield() }
            request.cancel()
        }
        await isOver.wait()
        if job.point == .afterTheEnd { request.cancel() }
        job.trigger.clear()
    }

    /// The resident memory of the process in bytes, or zero where the system does not provide it.
    private static var residentBytes: Int {
        let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }
}
