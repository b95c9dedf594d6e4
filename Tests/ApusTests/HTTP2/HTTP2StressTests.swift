import Apus
import ApusTestServer
import ApusTesting
import Foundation
import Testing

/// Sends thousands of requests over HTTP/2, cancels half of them at random points, and lets the server cause faults. Each
/// request completes once with a right outcome, none is processed twice, and no resources are left.
///
/// `APUS_STRESS` sets the number of requests, for a process that runs only stress tests. `APUS_SEED` repeats a run's
/// random choices.
@Suite(.serialized) struct HTTP2StressTests {
    private typealias Endpoints = HTTP2StressPlan.Endpoints
    private typealias Point = HTTP2StressPlan.Point

    private static let count = StressProcess.count(usual: 2000)
    private static let connectionsPerOrigin = 3

    /// Counts the outcomes of the requests.
    private final class Results: Sendable {
        let completed = Tally()
        let succeeded = Tally()
        private let cancelled = Lock<[Point: Int]>([:])
        private let stored = Lock<[String]>([])

        func record(_ outcome: StressRequest.Outcome, of plan: HTTP2StressPlan) {
            completed.countUp()
            switch outcome.code {
            case nil: succeeded.countUp()
            case .cancelled?: cancelled.withLock { $0[plan.point, default: 0] += 1 }
            default: break
            }
            guard let objection = plan.objection(to: outcome) else { return }
            stored.withLock { stored in
                guard stored.count < 20 else { return }
                stored.append("\(plan): \(objection)")
            }
        }

        /// The first outcomes that are wrong.
        var objections: [String] { stored.withLock { $0 } }

        func cancelled(_ point: Point) -> Int { cancelled.withLock { $0[point] ?? 0 } }
    }

    /// In the clear with prior knowledge. Over TLS, the server chooses HTTP/2.
    ///
    /// Parity: AF-fault-stress
    @Test(.timeLimit(.minutes(15)), arguments: Wire.allCases)
    func completesEachRequestOnceOverHTTP2(wire: Wire) async throws {
        let half = (wire == .plain ? Self.count : Self.count / 2) / 2
        let script = HTTP2StressScript(requestCount: 2 * half, seed: StressProcess.seed)
        let server = try await HTTP2Server.start(tls: wire.tls, options: script.options) { stream in
            await script.respond(to: stream)
        }
        let full = HTTP2Server.Options(settings: [.concurrentStreams(1)])
        let busy = try await HTTP2Server.start(tls: wire.tls, options: full) { stream in _ = await stream.resetCode() }
        var stalling = wire.tls
        stalling?.handshakeStalls = true
        let stalled = try await TestServer.start(tls: stalling, behavior: .script([.silence]))
        let isResolved = Gate()
        let session = makeSession(wire, ScriptedResolver(after: isResolved, onlyFor: "unresolved.test"))
        let endpoints = Endpoints(
            origin: server.url(""),
            busy: busy.url("/"),
            unresolved: "\(wire == .tls ? "https" : "http")://unresolved.test/",
            stalled: wire.named(stalled)
        )
        let holders = try await takeAllStreams(of: busy, session)
        let results = Results()
        try await run(0..<half, endpoints, session, script, results)
        let before = StressProcess.residentBytes
        try await run(half..<(2 * half), endpoints, session, script, results)
        let growth = StressProcess.residentBytes - before
        await server.wait { $0.responderCount == 0 }
        try await session.get(server.url("/")).validate()
        for holder in holders {
            holder.cancel()
            #expect(await holder.value.code == .cancelled)
        }
        isResolved.open()
        try await assertNothingLeft(session)
        for server in [server, busy] {
            await server.waitForOpenConnections(0)
            #expect(server.faults == [], "seed \(StressProcess.seed)")
            await server.stop()
        }
        await stalled.stop()
        #expect(results.completed.value == 2 * half)
        check(results, script, requestCount: 2 * half)
        if StressProcess.isAlone { #expect(growth < 24 << 20) }
    }

    private func check(_ results: Results, _ script: HTTP2StressScript, requestCount: Int) {
        #expect(results.objections == [], "seed \(StressProcess.seed)")
        #expect(results.succeeded.value > requestCount / 3)
        for point in Point.allCases.filter(\.endsInCancellation) {
            #expect(results.cancelled(point) > 0, "\(point)")
        }
        for event in HTTP2StressPlan.Event.allCases {
            #expect(script.count(of: event) > 0, "\(event)")
        }
        let counts = script.ledger.counts
        let sentTooOften = counts.indices
            .map { HTTP2StressPlan($0, seed: StressProcess.seed) }
            .filter { counts[$0.number] > $0.maximumCount }
            .map(\.description)
        #expect(sentTooOften == [], "seed \(StressProcess.seed)")
        #expect(script.ledger.repeatedCount > 0)
    }

    private func makeSession(_ wire: Wire, _ resolver: ScriptedResolver) -> Session {
        wire.session(resolver: resolver) {
            if wire == .plain { $0.protocols = .http2 }
            $0.requestsInFlight = 40
            $0.pool.connectionsPerOrigin = Self.connectionsPerOrigin
            // Small, so that the client opens its windows often.
            $0.http2.streamWindowBytes = 64 << 10
            $0.http2.connectionWindowBytes = 256 << 10
            // Some servers are silent until the end of the test, however long it takes.
            $0.http2.pingInterval = nil
            $0.timeouts.connect = nil
            $0.timeouts.tls = nil
        }
    }

    /// Sends requests that take all streams of all connections, so that further ones wait.
    private func takeAllStreams(
        of server: HTTP2Server,
        _ session: Session
    ) async throws -> [Task<Result<Data, ApusError>, Never>] {
        let message = try RequestMessage(server.url("/"), options: [RequestTimeouts(idleRead: .unlimited)])
        let holders = (0..<Self.connectionsPerOrigin).map { _ in Form.direct.start(message, on: session) }
        await server.waitForRequests(atLeast: Self.connectionsPerOrigin)
        return holders
    }

    private func run(
        _ numbers: Range<Int>,
        _ endpoints: Endpoints,
        _ session: Session,
        _ script: HTTP2StressScript,
        _ results: Results
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in numbers {
                if number - numbers.lowerBound >= 64 { try await group.next() }
                let plan = HTTP2StressPlan(number, seed: StressProcess.seed)
                let trigger = Trigger()
                let request = StressRequest(
                    message: try plan.message(to: endpoints, trigger),
                    form: plan.form,
                    moment: plan.point.moment,
                    yieldCount: plan.yieldCount,
                    trigger: trigger
                )
                group.addTask {
                    script.setTrigger(trigger, for: number)
                    await request.perform(on: session) { results.record($0, of: plan) }
                    script.setTrigger(nil, for: number)
                }
            }
            try await group.waitForAll()
        }
    }
}
