import Apus
import ApusTestServer
import ApusTesting
import Foundation
import Testing

/// What becomes of requests when their session ends is never left open.
@Suite struct ShutdownTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    /// A server that holds its answers back, and a session of it with one request under way.
    private func withRequestInFlight(
        _ wire: Wire,
        _ form: Form,
        configuration: Session.Configuration? = nil,
        _ body: (TestServer, Session, Task<Result<Data, ApusError>, Never>, Gate) async throws -> Void
    ) async throws {
        let release = Gate()
        let isAsked = Gate()
        let script: Script = [.loop([.expectHead, .signal(isAsked), .wait(release), .send(Self.answer)])]
        try await wire.with(.script(script), configuration: configuration ?? wire.configuration) { server, session in
            let task = form.start(try RequestMessage(server.url("/")), on: session)
            await isAsked.wait()
            try await body(server, session, task, release)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func requestsInFlightMayEnd(wire: Wire, form: Form) async throws {
        try await withRequestInFlight(wire, form) { server, session, task, release in
            async let shutdown: Void = session.shutdown()
            // The session refuses from the moment on that the shutdown has begun.
            var refusal: ApusError.Code?
            while refusal == nil {
                let probe = session.request("http://127.0.0.1:1/")
                refusal = await probe.serializingData().result.code
                if refusal == .connectFailed { refusal = nil }
            }
            #expect(refusal == .sessionShutDown)
            release.open()
            let data = try await task.value.get()
            #expect(data == Data("hi".utf8))
            await shutdown
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func requestsInFlightAreCancelledAtOnceWithoutGrace(wire: Wire, form: Form) async throws {
        try await withRequestInFlight(wire, form) { server, session, task, _ in
            await session.shutdown(within: .zero)
            #expect(await task.value.code == .sessionShutDown)
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func requestsInFlightAreCancelledWhenTheGraceIsOver(form: Form) async throws {
        try await withRequestInFlight(.plain, form) { server, session, task, _ in
            await session.shutdown(within: .milliseconds(50))
            #expect(await task.value.code == .sessionShutDown)
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func cancellingTheShutdownEndsTheGrace(form: Form) async throws {
        try await withRequestInFlight(.plain, form) { server, session, task, _ in
            let shutdown = Task { await session.shutdown() }
            await Wire.letOthersRun()
            shutdown.cancel()
            await shutdown.value
            #expect(await task.value.code == .sessionShutDown)
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases, [true, false])
    func whoWaitsIsTurnedAway(form: Form, waitsInThePool: Bool) async throws {
        try await withRequestInFlight(
            .plain,
            form,
            configuration: Wire.plain.configured {
                if waitsInThePool { $0.pool.connectionsPerOrigin = 1 } else { $0.requestsInFlight = 1 }
            }
        ) { server, session, first, _ in
            let message = try RequestMessage(server.url("/"))
            let waiting = Form.allCases.map { $0.start(message, on: session) }
            await Wire.letOthersRun()
            await session.shutdown(within: .zero)
            for task in waiting { #expect(await task.value.code == .sessionShutDown) }
            #expect(await first.value.code == .sessionShutDown)
            #expect(server.requestCount == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aStreamThatNobodyReadsHoldsNoShutdownUp(wire: Wire) async throws {
        try await wire.with { server, session in
            let endless = try await session.stream(server.url("/infinite"))
            let short = try await session.stream(server.url("/get"))
            await session.shutdown(within: .zero)
            for answer in [endless, short] {
                let error = await #expect(throws: ApusError.self) {
                    for try await _ in answer.body {}
                }
                #expect(error?.code == .sessionShutDown)
            }
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func shuttingDownAgainOrBeforeTheFirstRequestDoesNothing() async throws {
        let session = Session()
        await session.shutdown()
        await session.shutdown(within: .zero)
        let error = await #expect(throws: ApusError.self) { try await session.get("http://127.0.0.1:1/") }
        #expect(error?.code == .sessionShutDown)
        try await assertNothingLeft(session)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aSessionThatNobodyHoldsEndsItsHandles(wire: Wire) async throws {
        let isAsked = Gate()
        let script: Script = [.expectHead, .signal(isAsked), .silence]
        try await TestServer.with(tls: wire.tls, behaviour: .script(script)) { server in
            let task = await Self.letGo(Session(configuration: wire.configuration)) { session in
                let task = session.request(server.url("/")).serializingData()
                await isAsked.wait()
                return task
            }
            #expect(await task.result.code == .sessionGone)
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aSessionThatNobodyHoldsLeavesNoConnection(wire: Wire) async throws {
        try await TestServer.with(tls: wire.tls) { server in
            let count = try await Self.letGo(Session(configuration: wire.configuration)) { session in
                try await session.get(server.url("/get")).validate()
                return server.openConnections
            }
            #expect(count == 1)
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aStreamKeepsItsSession(wire: Wire) async throws {
        try await TestServer.with(tls: wire.tls) { server in
            let answer = try await Self.letGo(Session(configuration: wire.configuration)) { session in
                try await session.stream(server.url("/bytes/3000000"))
            }
            var count = 0
            for try await chunk in answer.body { count += chunk.count }
            #expect(count == 3_000_000)
        }
    }

    /// Lends a session that nobody holds afterwards.
    private static func letGo<Value>(
        _ session: consuming Session,
        _ body: (Session) async throws -> Value
    ) async rethrows -> Value {
        try await body(session)
    }

    @Test(.timeLimit(.minutes(5)))
    func allHandlesCanBeGivenUpAtOnce() async throws {
        let isAsked = Gate()
        let scripts: [Script] = [
            [.expectHead, .signal(isAsked), .silence], [.expectHead, .silence], .answering(Self.answer),
        ]
        try await Wire.plain.with(.scripts(scripts)) { server, session in
            let tasks = (0..<2).map { _ in session.request(server.url("/")).serializingData() }
            await isAsked.wait()
            await session.cancelAllRequests()
            for task in tasks { #expect(await task.result.code == .cancelled) }
            let idle = session.request(server.url("/"))
            #expect(idle.state == .initialized)
            await server.waitForOpenConnections(0)
        }
    }
}
