import Apus
import ApusTestServer
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// A request can be cancelled at any stage. The session continues unaffected.
@Suite struct CancellationTests {
    private static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    private func message(
        _ url: String,
        method: HTTPRequest.Method = .get,
        body: RequestBody = .none
    ) throws -> RequestMessage {
        try RequestMessage(url, method: method, body: body)
    }

    /// Parity: AF-fault-early-state
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func sendsNothingIfCancelledBeforeTheStart(wire: Wire, form: Form) async throws {
        try await wire.with { server, session in
            let message = try message(server.url("/get"))
            let task = Task {
                await Gate().wait()
                return await form.outcome(of: message, on: session)
            }
            task.cancel()
            #expect(await task.value.code == .cancelled)
            #expect(server.acceptedConnections == 0)
            try await session.get(server.url("/get")).validate()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func completesAHandleThatWasNotStarted() async throws {
        try await Wire.plain.with { server, session in
            let request = session.request(server.url("/get"))
            request.cancel()
            #expect(request.state == .cancelled)
            #expect(await request.serializingData().result.code == .cancelled)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func cancelsARequestAboveTheConcurrencyLimit(wire: Wire, form: Form) async throws {
        let release = Gate()
        let isBusy = Gate()
        let script: Script = [.loop([.expectHead, .signal(isBusy), .wait(release), .send(Self.okResponse)])]
        try await wire.with(.script(script), configuration: wire.configured { $0.requestsInFlight = 1 }) {
            server,
            session in
            async let first = session.get(server.url("/"))
            await isBusy.wait()
            let second = form.start(try message(server.url("/")), on: session)
            while session.requestCounts.waiting == 0 { await Task.yield() }
            second.cancel()
            #expect(await second.value.code == .cancelled)
            #expect(session.requestCounts.waiting == 0)
            release.open()
            #expect(try await first.string() == "hi")
            try await session.get(server.url("/")).validate()
            #expect(server.requestCount == 2)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func cancelsARequestQueuedInThePool(wire: Wire, form: Form) async throws {
        let release = Gate()
        let monitor = ExchangeGate(count: 2)
        let isBusy = Gate()
        let script: Script = [.loop([.expectHead, .signal(isBusy), .wait(release), .send(Self.okResponse)])]
        try await wire.with(
            .script(script),
            configuration: wire.configured {
                $0.pool.connectionsPerOrigin = 1
                $0.eventMonitors = [monitor]
            }
        ) { server, session in
            async let first = session.get(server.url("/"))
            await isBusy.wait()
            let second = form.start(try message(server.url("/")), on: session)
            await monitor.gate.wait()
            await Wire.yieldToOthers()
            second.cancel()
            #expect(await second.value.code == .cancelled)
            release.open()
            #expect(try await first.string() == "hi")
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
            #expect(server.requestCount == 2)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func cancelsDuringTheHostLookup(wire: Wire, form: Form) async throws {
        let server = try await TestServer.start(tls: wire.tls)
        let gate = Gate()
        let resolver = ScriptedResolver(after: gate)
        let session = wire.session(resolver: resolver)
        let task = form.start(try message(wire.named(server)), on: session)
        await resolver.hasBegun.wait()
        task.cancel()
        #expect(await task.value.code == .cancelled)
        #expect(server.acceptedConnections == 0)
        gate.open()
        try await session.get(wire.named(server)).validate()
        try await assertNothingLeft(session)
        await server.stop()
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func cancelsDuringTheTLSHandshake(form: Form) async throws {
        var tls = TestTLS.localhost
        tls.handshakeStalls = true
        let server = try await TestServer.start(tls: tls)
        let session = Session(configuration: Wire.tls.configuration)
        let task = form.start(try message(server.url("/get")), on: session)
        await server.waitForAcceptedConnections(atLeast: 1)
        task.cancel()
        #expect(await task.value.code == .cancelled)
        try await assertNothingLeft(session)
        await server.waitForOpenConnections(0)
        await server.stop()
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func cancelsWhileSendingBytesFromMemory(wire: Wire, form: Form) async throws {
        let isStuck = Gate()
        let scripts: [Script] = [
            [.expectHead, .stopReading, .signal(isStuck), .silence], .responding(with: Self.okResponse),
        ]
        try await wire.with(.scripts(scripts)) { server, session in
            let body = RequestBody.bytes(Data(count: 64 << 20))
            let task = form.start(try message(server.url("/"), method: .post, body: body), on: session)
            await isStuck.wait()
            task.cancel()
            #expect(await task.value.code == .cancelled)
            #expect(try await session.get(server.url("/")).string() == "hi")
        }
    }

    /// Parity: AF-fault-write-after-close
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func cancelsWhileSendingAnEndlessStream(wire: Wire, form: Form) async throws {
        let isSent = Gate()
        let stuck: Script = [.expectHead, .expectBytes(10), .signal(isSent), .silence]
        let (chunks, source) = AsyncStream.makeStream(of: BodyChunk.self)
        try await wire.with(.scripts([stuck, .responding(with: Self.okResponse)])) { server, session in
            source.yield(BodyChunk("hello"))
            let task = form.start(try message(server.url("/"), method: .post, body: .once(chunks)), on: session)
            await isSent.wait()
            task.cancel()
            #expect(await task.value.code == .cancelled)
            await server.waitForOpenConnections(0)
            #expect(try await session.get(server.url("/")).string() == "hi")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func cancelsWhileWaitingForTheHead(wire: Wire, form: Form) async throws {
        let isReceived = Gate()
        try await wire.with(
            .scripts([[.expectHead, .signal(isReceived), .silence], .responding(with: Self.okResponse)])
        ) {
            server,
            session in
            let task = form.start(try message(server.url("/")), on: session)
            await isReceived.wait()
            task.cancel()
            #expect(await task.value.code == .cancelled)
            await server.waitForOpenConnections(0)
            #expect(try await session.get(server.url("/")).string() == "hi")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func cancelsWhileReceivingTheBody(wire: Wire, form: Form) async throws {
        let isSent = Gate()
        let cutShort: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"), .signal(isSent), .silence,
        ]
        try await wire.with(.scripts([cutShort, .responding(with: Self.okResponse)])) { server, session in
            let task = form.start(try message(server.url("/")), on: session)
            await isSent.wait()
            await Wire.yieldToOthers()
            task.cancel()
            #expect(await task.value.code == .cancelled)
            await server.waitForOpenConnections(0)
            #expect(try await session.get(server.url("/")).string() == "hi")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func changesNothingAfterTheEnd() async throws {
        try await Wire.plain.with(.script(.responding(with: Self.okResponse))) { server, session in
            let request = session.request(server.url("/"))
            let before = try await request.serializingData().value
            request.cancel()
            #expect(request.state == .finished)
            #expect(request.error == nil)
            let valueAfterwards = try await request.serializingData().value
            #expect(before == Data("hi".utf8))
            #expect(valueAfterwards == before)
            #expect(server.requestCount == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func completesASuspendedRequest() async throws {
        try await Wire.plain.with(.script(.responding(with: Self.okResponse))) { server, session in
            let request = session.request(server.url("/"))
            let task = request.serializingData()
            request.suspend()
            request.cancel()
            let code = await task.result.code
            #expect(code == .cancelled || code == nil)
        }
    }
}
