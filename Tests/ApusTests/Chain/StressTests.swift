import Apus
import ApusTestServer
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// Sends thousands of requests and cancels many at random points. Each completes once and leaves no resources behind.
///
/// `APUS_STRESS` sets the number of requests, for a process that runs only stress tests. `APUS_SEED` repeats a run.
@Suite(.serialized) struct StressTests {
    private static let count = StressProcess.count(usual: 5000)

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

        var moment: StressRequest.Moment {
            switch self {
            case .never: .never
            case .beforeTheStart: .beforeTheStart
            case .atARandomMoment, .inTheLookup, .inTheHandshake: .atAnyStage
            case .whileSending: .whenTriggered
            case .whileReceiving: .whileReceiving
            case .inASerializer: .inASerializer
            case .afterTheEnd: .afterTheEnd
            }
        }

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
        let request: StressRequest

        init(_ number: Int, _ endpoints: Endpoints, _ generator: inout SeededGenerator) throws {
            point =
                Bool.random(using: &generator) ? .never : StopPoint.allCases.randomElement(using: &generator) ?? .never
            let yieldCount = Int.random(in: 0..<300, using: &generator)
            let trigger = Trigger()
            request = StressRequest(
                message: try Self.message(point, endpoints, trigger, &generator),
                form: number.isMultiple(of: 2) ? .handle : .direct,
                moment: point.moment,
                yieldCount: yieldCount,
                trigger: trigger
            )
        }

        private static func message(
            _ point: StopPoint,
            _ endpoints: Endpoints,
            _ trigger: Trigger,
            _ generator: inout SeededGenerator
        ) throws -> RequestMessage {
            switch point {
            case .inTheLookup: return try RequestMessage(endpoints.unresolved)
            case .inTheHandshake: return try RequestMessage(endpoints.stalled)
            case .whileSending:
                let body = RequestBody.replayable {
                    let requested = Tally()
                    return AsyncStream<BodyChunk>(unfolding: {
                        if requested.countUp() == 4 { trigger.fire() }
                        return requested.value < 1000 ? BodyChunk(repeatElement(0x78, count: 4096)) : nil
                    })
                }
                return try RequestMessage(endpoints.origin + "/upload", method: .post, body: body)
            default: return try ordinary(endpoints.origin, &generator)
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

    /// Counts the outcomes of the jobs.
    private final class Results: Sendable {
        let completed = Tally()
        let succeeded = Tally()
        private let unexpectedErrors = Lock<[String]>([])
        private let cancelled = Lock<[StopPoint: Int]>([:])

        func record(_ outcome: StressRequest.Outcome, of job: Job) {
            completed.countUp()
            switch outcome {
            case .body, .success: succeeded.countUp()
            case .failure(let error) where error.code == .cancelled && job.point != .never:
                cancelled.withLock { $0[job.point, default: 0] += 1 }
            case .failure(let error):
                unexpectedErrors.withLock { errors in
                    guard errors.count < 20 else { return }
                    errors.append("\(job.request.form), \(job.point): \(error)")
                }
            }
        }

        /// The first errors that no cancellation explains.
        var unexpected: [String] { unexpectedErrors.withLock { $0 } }

        func cancelled(_ point: StopPoint) -> Int { cancelled.withLock { $0[point] ?? 0 } }
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
            // Some servers are silent until the end of the test, however long it takes.
            $0.timeouts.connect = nil
            $0.timeouts.tls = nil
        }
        let origin = wire.named(server, "")
        let endpoints = Endpoints(
            origin: origin,
            unresolved: "\(wire == .tls ? "https" : "http")://unresolved.test/",
            stalled: wire.named(stalled)
        )
        let results = Results()
        var generator = SeededGenerator(seed: StressProcess.seed)
        let half = (wire == .plain ? Self.count : Self.count / 5) / 2
        try await run(half, endpoints, session, results, &generator)
        let before = StressProcess.residentBytes
        try await run(half, endpoints, session, results, &generator)
        let growth = StressProcess.residentBytes - before
        #expect(results.completed.value == 2 * half)
        #expect(results.unexpected.isEmpty, "seed \(StressProcess.seed)")
        #expect(results.succeeded.value > half)
        for point in StopPoint.allCases.filter(\.endsInCancellation) {
            #expect(results.cancelled(point) > 0, "\(point)")
        }
        if StressProcess.isAlone { #expect(growth < 24 << 20) }
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
                group.addTask {
                    await job.request.perform(on: session) { results.record($0, of: job) }
                }
            }
            try await group.waitForAll()
        }
    }
}
