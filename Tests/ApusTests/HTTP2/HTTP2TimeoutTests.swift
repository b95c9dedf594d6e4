import Apus
import ApusEngine
import ApusTestServer
import Foundation
import Testing

/// The limits for a silent peer apply to each stream. A connection without any sign of life is found by a PING.
@Suite(.timeLimit(.minutes(5))) struct HTTP2TimeoutTests {
    /// Sends a byte every 100 ms for 2 s at `/drip`, nothing at `/silent`, and `hi` elsewhere.
    private static let dripping: HTTP2Server.Responder = { stream in
        switch stream.request.path {
        case "/silent": break
        case "/drip":
            stream.head()
            for _ in 0..<20 {
                await stream.pause(.milliseconds(100))
                await stream.send("x")
            }
            await stream.send("", ends: true)
        default:
            await stream.respond()
        }
    }

    // MARK: Reading

    /// The bytes of another stream do not keep a silent one alive.
    @Test(arguments: Wire.allCases)
    func endsASilentStreamWhileAnotherIsActive(wire: Wire) async throws {
        try await wire.withHTTP2(responder: Self.dripping) { server, session in
            async let drip = session.get(server.url("/drip"))
            _ = try await server.stream(for: "/drip")
            let options: RequestOptions = [RequestTimeouts(idleRead: .milliseconds(300))]
            let error = await #expect(throws: ApusError.self) {
                try await session.get(server.url("/silent"), options: options)
            }
            #expect(error?.code == .readTimeout)
            #expect(error?.phase == .receive)
            let stream = try await server.stream(for: "/silent")
            #expect(await stream.resetCode() == .cancel)
            let response = try await drip
            #expect(response.data.count == 20)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func endsASilentBody(wire: Wire) async throws {
        try await wire.withHTTP2(
            configure: { $0.timeouts.idleRead = .milliseconds(1_200) },
            responder: { stream in
                stream.head(200, [("content-length", "5")])
                await stream.send("hel")
            }
        ) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
            #expect(error?.code == .readTimeout)
            #expect(error?.exchanges.map(\.responseBodyBytes) == [3])
        }
    }

    @Test(arguments: Wire.allCases)
    func doesNotTimeOutOnASlowServer(wire: Wire) async throws {
        try await wire.withHTTP2(
            configure: { $0.timeouts.idleRead = .milliseconds(1_500) },
            responder: Self.dripping
        ) { server, session in
            let data = try await session.get(server.url("/drip")).data
            #expect(data.count == 20)
        }
    }

    /// The time in which the reader itself pauses does not count.
    @Test(arguments: Wire.allCases)
    func doesNotTimeOutWhileTheReaderPauses(wire: Wire) async throws {
        let size = 1_000_000
        try await wire.withHTTP2(
            configure: {
                $0.http2.streamWindowBytes = 64 << 10
                $0.timeouts.idleRead = .milliseconds(1_500)
            },
            responder: { stream in
                guard stream.request.path == "/long" else { return await Self.dripping(stream) }
                await stream.respond(bytes: TestServer.pattern(count: size))
            }
        ) { server, session in
            let response = try await session.stream(server.url("/long"))
            let stream = try await server.stream(for: "/long")
            await stream.progress.wait { $0.isBlocked && $0.sentBytes > 256 << 10 }
            // Takes 2 s.
            try await session.get(server.url("/drip")).validate()
            var data = Data()
            for try await chunk in response.body { data.append(chunk) }
            #expect(data == Data(TestServer.pattern(count: size)))
        }
    }

    // MARK: Writing

    /// The window of one stream is used up, and the others continue.
    @Test(arguments: Wire.allCases)
    func endsAStalledUploadWhileOthersContinue(wire: Wire) async throws {
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.windowBytes(20_000)], opensWindows: false),
            responder: { stream in
                if stream.request.path == "/stuck" { return }
                let body = await stream.body()
                await stream.respond(bytes: body)
            }
        ) { server, session in
            try await session.get(server.url("/")).validate()
            let body = RequestBody.bytes(Data(count: 1 << 20))
            var message = try RequestMessage(server.url("/stuck"), method: .post, body: body)
            message.options = [RequestTimeouts(idleWrite: .milliseconds(300))]
            let task = Form.direct.start(message, on: session)
            let stream = try await server.stream(for: "/stuck")
            await stream.waitForBytes(20_000)
            for _ in 0..<5 { try await session.post(server.url("/"), body: .string("hello")).validate() }
            let error = await task.value.error
            #expect(error?.code == .writeTimeout)
            #expect(error?.phase == .send)
            #expect(await stream.resetCode() == .cancel)
            try await session.post(server.url("/"), body: .string("hello")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func endsABodyWhoseSourceIsSilent(wire: Wire) async throws {
        let (chunks, source) = AsyncStream.makeStream(of: BodyChunk.self)
        try await wire.withHTTP2(configure: { $0.timeouts.idleWrite = .milliseconds(200) }) { server, session in
            source.yield(BodyChunk("hello"))
            let error = await #expect(throws: ApusError.self) {
                try await session.post(server.url("/upload"), body: .once(chunks))
            }
            #expect(error?.code == .writeTimeout)
            let stream = try await server.stream(for: "/upload")
            #expect(await stream.resetCode() == .cancel)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    /// The server opens the window a little at a time.
    @Test(arguments: Wire.allCases)
    func doesNotTimeOutOnASlowWindow(wire: Wire) async throws {
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.windowBytes(10_000)], opensWindows: false),
            configure: { $0.timeouts.idleWrite = .milliseconds(1_500) },
            responder: { stream in
                while stream.request.method == "POST", !stream.progress.value.isRequestEnded {
                    await stream.pause(.milliseconds(200))
                    stream.openWindow(by: 4_000)
                    if stream.progress.value.isOver { return }
                }
                let body = await stream.body()
                await stream.respond("\(body.count)")
            }
        ) { server, session in
            try await session.get(server.url("/")).validate()
            let response = try await session.post(server.url("/"), body: .bytes(Data(count: 50_000)))
            #expect(try response.string() == "50000")
        }
    }

    // MARK: PING

    @Test(arguments: Wire.allCases)
    func findsADeadPeer(wire: Wire) async throws {
        try await wire.withHTTP2(
            HTTP2Server.Options(answersPings: false),
            configure: {
                $0.http2.pingInterval = .milliseconds(200)
                $0.http2.pingPatience = .milliseconds(1_500)
                $0.timeouts.idleRead = nil
            },
            responder: { stream in
                if stream.request.path == "/" { await stream.respond() }
            }
        ) { server, session in
            let tasks = try (0..<3).map { number in
                Form.direct.start(try RequestMessage(server.url("/silent/\(number)")), on: session)
            }
            for task in tasks {
                let error = await task.value.error
                #expect(error?.code == .connectionClosed)
                #expect(error?.description.contains("PING") == true)
                #expect(error?.hint?.contains("pingPatience") == true)
            }
            #expect(server.frames.contains { $0.kind == .ping && !$0.isAcknowledgement })
            await server.waitForOpenConnections(0)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 2)
        }
    }

    /// A server that answers each PING may take any time for its response.
    @Test(arguments: Wire.allCases)
    func waitsForAPeerThatAnswersPings(wire: Wire) async throws {
        let release = Gate()
        try await wire.withHTTP2(
            configure: {
                $0.http2.pingInterval = .milliseconds(100)
                $0.http2.pingPatience = .seconds(60)
                $0.timeouts.idleRead = nil
            },
            responder: { stream in
                await release.wait()
                await stream.respond()
            }
        ) { server, session in
            async let response = session.get(server.url("/"))
            await server.wait { log in log.frames.count { $0.kind == .ping } >= 5 }
            release.open()
            let text = try await response.string()
            #expect(text == "hi")
            #expect(server.acceptedConnections == 1)
        }
    }

    /// Without an interval there is no check, only the measurement of the round trip with the first body.
    @Test(arguments: Wire.allCases)
    func sendsNoPINGWithoutAnInterval(wire: Wire) async throws {
        try await wire.withHTTP2(
            configure: { $0.http2.pingInterval = nil },
            responder: Self.dripping
        ) { server, session in
            try await session.get(server.url("/drip")).validate()
            let pings = server.frames.filter { $0.kind == .ping }
            #expect(pings.count == 1)
        }
    }
}
