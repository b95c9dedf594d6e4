import Apus
import ApusTestServer
import ApusTesting
import Foundation
import Testing

/// Every request gets a defined outcome when its session ends.
@Suite struct ShutdownTests {
    private static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    /// Starts a server that withholds its responses, and a session with one request in flight.
    private func withRequestInFlight(
        _ wire: Wire,
        _ form: Form,
        configuration: Session.Configuration? = nil,
        _ body: (TestServer, Session, Task<Result<Data, ApusError>, Never>, Gate) async throws -> Void
    ) async throws {
        let release = Gate()
        let isReceived = Gate()
        let script: Script = [.loop([.expectHead, .signal(isReceived), .wait(release), .send(Self.okResponse)])]
        try await wire.with(.script(script), configuration: configuration ?? wire.configuration) { server, session in
            let task = form.start(try RequestMessage(server.url("/")), on: session)
            await isReceived.wait()
            try await body(server, session, task, release)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func letsRequestsInFlightComplete(wire: Wire, form: Form) async throws {
        try await withRequestInFlight(wire, form) { server, session, task, release in
            async let shutdown: Void = session.shutdown()
            // The session rejects new requests as soon as the shutdown has begun.
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
    func cancelsRequestsInFlightAtOnceWithoutAGracePeriod(wire: Wire, form: Form) async throws {
        try await withRequestInFlight(wire, form) { server, session, task, _ in
            await session.shutdown(within: .zero)
            #expect(await task.value.code == .sessionShutDown)
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func cancelsRequestsInFlightAfterTheGracePeriod(form: Form) async throws {
        try await withRequestInFlight(.plain, form) { server, session, task, _ in
            await session.shutdown(within: .milliseconds(50))
            #expect(await task.value.code == .sessionShutDown)
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func endsTheGracePeriodIfCancelled(form: Form) async throws {
        try await withRequestInFlight(.plain, form) { server, session, task, _ in
            let shutdown = Task { await session.shutdown() }
            await Wire.yieldToOthers()
            shutdown.cancel()
            await shutdown.value
            #expect(await task.value.code == .sessionShutDown)
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases, [true, false])
    func rejectsQueuedRequests(form: Form, waitsInThePool: Bool) async throws {
        try await withRequestInFlight(
            .plain,
            form,
            configuration: Wire.plain.configured {
                if waitsInThePool { $0.pool.connectionsPerOrigin = 1 } else { $0.requestsInFlight = 1 }
            }
        ) { server, session, first, _ in
            let message = try RequestMessage(server.url("/"))
            let waiting = Form.allCases.map { $0.start(message, on: session) }
            await Wire.yieldToOthers()
            await session.shutdown(within: .zero)
            for task in waiting { #expect(await task.value.code == .sessionShutDown) }
            #expect(await first.value.code == .sessionShutDown)
            #expect(server.requestCount == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func doesNotWaitForAnUnreadStream(wire: Wire) async throws {
        try await wire.with { server, session in
            let endless = try await session.stream(server.url("/infinite"))
            let short = try await session.stream(server.url("/get"))
            await session.shutdown(within: .zero)
            for response in [endless, short] {
                let error = await #expect(throws: ApusError.self) {
                    for try await _ in response.body {}
                }
                #expect(error?.code == .sessionShutDown)
            }
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func doesNothingIfRepeatedOrWithoutRequests() async throws {
        let session = Session()
        await session.shutdown()
        await session.shutdown(within: .zero)
        let error = await #expect(throws: ApusError.self) { try await session.get("http://127.0.0.1:1/") }
        #expect(error?.code == .sessionShutDown)
        try await assertNothingLeft(session)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func failsTheHandlesOfAReleasedSession(wire: Wire) async throws {
        let isReceived = Gate()
        let script: Script = [.expectHead, .signal(isReceived), .silence]
        try await TestServer.with(tls: wire.tls, behavior: .script(script)) { server in
            let task = await Self.withReleasedSession(Session(configuration: wire.configuration)) { session in
                let task = session.request(server.url("/")).serializingData()
                await isReceived.wait()
                return task
            }
            #expect(await task.result.code == .sessionGone)
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func closesTheConnectionsOfAReleasedSession(wire: Wire) async throws {
        try await TestServer.with(tls: wire.tls) { server in
            let count = try await Self.withReleasedSession(Session(configuration: wire.configuration)) { session in
                try await session.get(server.url("/get")).validate()
                return server.openConnections
            }
            #expect(count == 1)
            await server.waitForOpenConnections(0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func keepsTheSessionOfAStreamAlive(wire: Wire) async throws {
        try await TestServer.with(tls: wire.tls) { server in
            let response = try await Self.withReleasedSession(Session(configuration: wire.configuration)) { session in
                try await session.stream(server.url("/bytes/3000000"))
            }
            var count = 0
            for try await chunk in response.body { count += chunk.count }
            #expect(count == 3_000_000)
        }
    }

    /// Runs `body` with a session that is released afterwards.
    private static func withReleasedSession<Value>(
        _ session: consuming Session,
        _ body: (Session) async throws -> Value
    ) async rethrows -> Value {
        try await body(session)
    }

    @Test(.timeLimit(.minutes(5)))
    func cancelsAllActiveHandles() async throws {
        let isReceived = Gate()
        let scripts: [Script] = [
            [.expectHead, .signal(isReceived), .silence], [.expectHead, .silence], .responding(with: Self.okResponse),
        ]
        try await Wire.plain.with(.scripts(scripts)) { server, session in
            let tasks = (0..<2).map { _ in session.request(server.url("/")).serializingData() }
            await isReceived.wait()
            await session.cancelAllRequests()
            for task in tasks { #expect(await task.result.code == .cancelled) }
            let idle = session.request(server.url("/"))
            #expect(idle.state == .initialized)
            await server.waitForOpenConnections(0)
        }
    }
}
