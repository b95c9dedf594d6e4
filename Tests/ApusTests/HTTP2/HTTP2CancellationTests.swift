import Apus
import ApusEngine
import ApusTestServer
import Foundation
import Testing

/// Cancelling a request resets its stream. The connection and its other streams are not affected.
@Suite(.timeLimit(.minutes(5))) struct HTTP2CancellationTests {
    /// The number of requests of a mass cancellation. `APUS_STRESS=10000` sets it.
    private static let count = ProcessInfo.processInfo.environment["APUS_STRESS"].flatMap { Int($0) } ?? 500
    private static let seed = ProcessInfo.processInfo.environment["APUS_SEED"].flatMap { UInt64($0) } ?? 42

    /// Never ends its responses, except for the path `/`.
    private static let silent: HTTP2Server.Responder = { stream in
        switch stream.request.path {
        case "/": await stream.respond()
        case "/body":
            stream.head(200, [("content-length", "50")])
            await stream.send("hello")
        default: break
        }
    }

    @Test(arguments: Wire.allCases, Form.allCases)
    func resetsTheStreamBeforeTheHead(wire: Wire, form: Form) async throws {
        try await wire.withHTTP2(responder: Self.silent) { server, session in
            let task = form.start(try RequestMessage(server.url("/silent")), on: session)
            let stream = try await server.stream(for: "/silent")
            task.cancel()
            #expect(await task.value.code == .cancelled)
            #expect(await stream.resetCode() == .cancel)
            #expect(try await session.get(server.url("/")).string() == "hi")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases, Form.allCases)
    func resetsTheStreamInsideTheBody(wire: Wire, form: Form) async throws {
        try await wire.withHTTP2(responder: Self.silent) { server, session in
            let task = form.start(try RequestMessage(server.url("/body")), on: session)
            let stream = try await server.stream(for: "/body")
            await stream.progress.wait { $0.sentBytes == 5 }
            await Wire.yieldToOthers()
            task.cancel()
            #expect(await task.value.code == .cancelled)
            #expect(await stream.resetCode() == .cancel)
            #expect(try await session.get(server.url("/")).string() == "hi")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases, Form.allCases)
    func resetsTheStreamInsideAnUpload(wire: Wire, form: Form) async throws {
        let (chunks, source) = AsyncStream.makeStream(of: BodyChunk.self)
        try await wire.withHTTP2(responder: Self.silent) { server, session in
            source.yield(BodyChunk("hello"))
            let message = try RequestMessage(server.url("/upload"), method: .post, body: .once(chunks))
            let task = form.start(message, on: session)
            let stream = try await server.stream(for: "/upload")
            await stream.waitForBytes(5)
            task.cancel()
            #expect(await task.value.code == .cancelled)
            #expect(await stream.resetCode() == .cancel)
            #expect(try await session.get(server.url("/")).string() == "hi")
            #expect(server.acceptedConnections == 1)
        }
    }

    /// The body fills the windows of the server, and the rest waits for them.
    @Test(arguments: Wire.allCases, Form.allCases)
    func resetsAStreamThatWaitsForAWindow(wire: Wire, form: Form) async throws {
        try await wire.withHTTP2(HTTP2Server.Options(opensWindows: false), responder: Self.silent) { server, session in
            let body = RequestBody.bytes(Data(count: 4 << 20))
            let task = form.start(try RequestMessage(server.url("/stuck"), method: .post, body: body), on: session)
            let stream = try await server.stream(for: "/stuck")
            await stream.waitForBytes(65_535)
            task.cancel()
            #expect(await task.value.code == .cancelled)
            #expect(await stream.resetCode() == .cancel)
            #expect(try await session.get(server.url("/")).string() == "hi")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func leavesOtherStreamsUnaffected(wire: Wire) async throws {
        let release = Gate()
        try await wire.withHTTP2(
            responder: { stream in
                if stream.request.path != "/silent" {
                    await release.wait()
                    await stream.respond(stream.request.path)
                }
            }
        ) { server, session in
            let silent = Form.direct.start(try RequestMessage(server.url("/silent")), on: session)
            async let first = session.get(server.url("/1"))
            async let second = session.get(server.url("/2"))
            await server.waitForRequests(atLeast: 3)
            silent.cancel()
            #expect(await silent.value.code == .cancelled)
            let stream = try await server.stream(for: "/silent")
            #expect(await stream.resetCode() == .cancel)
            release.open()
            let responses = try await [first, second]
            #expect(responses.map(\.data) == [Data("/1".utf8), Data("/2".utf8)])
            #expect(server.acceptedConnections == 1)
        }
    }

    /// The server may have sent a whole response before it learned of the reset.
    @Test(arguments: Wire.allCases)
    func ignoresFramesAfterAReset(wire: Wire) async throws {
        try await wire.withHTTP2(responder: Self.silent) { server, session in
            for _ in 0..<20 {
                let count = server.requests.count
                let task = Form.direct.start(try RequestMessage(server.url("/silent")), on: session)
                await server.waitForRequests(atLeast: count + 1)
                task.cancel()
                #expect(await task.value.code == .cancelled)
                let request = try #require(server.requests.last)
                let id = request.stream
                await server.waitForFrame { $0.kind == .reset && $0.stream == id }
                let connection = try #require(server.connections.first)
                let content = [UInt8](repeating: 0, count: 1000)
                connection.send(
                    ServerFrame.headers(id, [(":status", "200"), ("x-late", "yes")])
                        + ServerFrame.windowUpdate(id, by: 10) + ServerFrame.data(id, content[...])
                        + ServerFrame.headers(id, [("x-trailer", "yes")], ends: true)
                )
                #expect(try await session.get(server.url("/")).string() == "hi")
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func cancelsARequestThatWaitsForASlot(wire: Wire) async throws {
        let release = Gate()
        let monitor = ExchangeGate(count: 3)
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.concurrentStreams(1)]),
            configure: {
                $0.pool.connectionsPerOrigin = 1
                $0.eventMonitors = [monitor]
            },
            responder: { stream in
                if stream.request.path == "/first" { await release.wait() }
                await stream.respond()
            }
        ) { server, session in
            try await session.get(server.url("/")).validate()
            async let first = session.get(server.url("/first"))
            _ = try await server.stream(for: "/first")
            let second = Form.direct.start(try RequestMessage(server.url("/second")), on: session)
            await monitor.gate.wait()
            await Wire.yieldToOthers()
            second.cancel()
            #expect(await second.value.code == .cancelled)
            release.open()
            let response = try await first
            #expect(try response.string() == "hi")
            try await session.get(server.url("/third")).validate()
            #expect(server.requests.map(\.path) == ["/", "/first", "/third"])
        }
    }

    /// Cancels each request right after its start, at any stage. The connection outlives all of them, and no request is
    /// sent or reset twice.
    @Test(.timeLimit(.minutes(15)), arguments: Wire.allCases)
    func survivesManyCancellations(wire: Wire) async throws {
        try await wire.withHTTP2(HTTP2Server.Options(settings: [.concurrentStreams(1000)])) { server, session in
            let cancelled = Tally()
            let unexpected = Tally()
            let messages = try (0..<Self.count).map { try RequestMessage(server.url("/\($0)")) }
            var generator = SeededGenerator(seed: Self.seed)
            try await session.get(server.url("/")).validate()
            await withTaskGroup(of: Void.self) { group in
                for (number, message) in messages.enumerated() {
                    if number >= 64 { await group.next() }
                    let yieldCount = Int.random(in: 0..<100, using: &generator)
                    let form = Form.allCases[number % Form.allCases.count]
                    group.addTask {
                        let task = form.start(message, on: session)
                        for _ in 0..<yieldCount { await Task.yield() }
                        task.cancel()
                        switch await task.value.code {
                        case nil: break
                        case .cancelled?: cancelled.countUp()
                        default: unexpected.countUp()
                        }
                    }
                }
            }
            #expect(cancelled.value > 0)
            #expect(unexpected.value == 0, "seed \(Self.seed)")
            // Its frames follow those of all other requests.
            #expect(try await session.get(server.url("/")).string() == "hi")
            #expect(server.acceptedConnections == 1)
            let paths = server.requests.map(\.path).filter { $0 != "/" }
            #expect(Set(paths).count == paths.count, "seed \(Self.seed)")
            let heads = server.frames.filter { $0.kind == .headers }
            #expect(heads.count == paths.count + 2)
            let resets = server.frames.filter { $0.kind == .reset }
            #expect(Set(resets.map(\.stream)).count == resets.count, "seed \(Self.seed)")
            // A request with a complete response is not reset.
            #expect(resets.count <= cancelled.value)
        }
    }
}
