import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// A body is received as fast as it is read, and no faster.
@Suite struct StreamingTests {
    private static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    @Test(
        .timeLimit(.minutes(5)),
        arguments: Wire.allCases,
        ["/bytes/3000000", "/chunked/500", "/bytes/0", "/json/2000"]
    )
    func receivesABodyUnchanged(wire: Wire, path: String) async throws {
        try await wire.with { server, session in
            var data = Data()
            for try await chunk in try await session.stream(server.url(path)).body {
                #expect(!chunk.isEmpty)
                data.append(chunk)
            }
            let whole = try await session.get(server.url(path))
            #expect(whole.data == data)
            #expect(server.acceptedConnections == 1)
        }
    }

    /// Parity: AF-fault-back-pressure
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func appliesBackPressureWhenTheReaderPauses(wire: Wire) async throws {
        let offered = Tally()
        let size = 64 << 10
        let count = (1 << 30) / size
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: size)
        let behavior = TestServer.Behavior.handler { request in
            guard request.path == "/large" else { return .text("small") }
            return TestResponse(
                body: .generated(length: size * count) { number in
                    guard number < count else { return nil }
                    offered.countUp()
                    return piece
                }
            )
        }
        try await wire.with(behavior) { server, session in
            let response = try await session.stream(server.url("/large"))
            #expect(response.expectedLength == Int64(size * count))
            var reader = response.body.makeAsyncIterator()
            for _ in 0..<5 {
                _ = try await reader.next()
                var last = -1
                while offered.value != last {
                    last = offered.value
                    // Complete exchanges on the same event loops give all pending events time to finish.
                    for _ in 0..<5 { try await session.get(server.url("/")).validate() }
                }
            }
            // The buffers of both sockets and of the server hold this much.
            #expect(offered.value * size < 32 << 20)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func cancelsAReleasedStream(wire: Wire) async throws {
        try await wire.with { server, session in
            _ = try await session.stream(server.url("/infinite"))
            await server.waitForOpenConnections(0)
            #expect(session.requestCounts.inFlight == 0)
            var chunks = 0
            for try await _ in try await session.stream(server.url("/infinite")).body {
                chunks += 1
                if chunks == 10 { break }
            }
            await server.waitForOpenConnections(0)
            try await session.get(server.url("/get")).validate()
            #expect(server.acceptedConnections == 3)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func drainsAShortRemainderAndKeepsTheConnection(wire: Wire) async throws {
        let release = Gate()
        let script: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .wait(release), .send("world"),
            .loop([.expectHead, .send(Self.okResponse)]),
        ]
        try await wire.with(.script(script)) { server, session in
            let response = try await session.stream(server.url("/"))
            response.body.discard()
            release.open()
            for _ in 0..<3 {
                let next = try await session.stream(server.url("/"))
                next.body.discard()
            }
            #expect(try await session.get(server.url("/")).string() == "hi")
            #expect(server.requestCount == 5)
        }
    }

    /// Releasing a discarded response does not stop its draining. Draining has 50 ms, which a busy machine may exceed
    /// once, but not every time.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func drainsAShortRemainderOfAReleasedResponse(wire: Wire) async throws {
        for _ in 0..<50 {
            let release = Gate()
            let script: Script = [
                .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .wait(release),
                .send("hello"), .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
            ]
            let connections = try await wire.with(
                .script(script),
                configure: { $0.pool.connectionsPerOrigin = 1 },
                { server, session in
                    try await session.stream(server.url("/")).body.discard()
                    release.open()
                    _ = try await session.get(server.url("/"))
                    return server.acceptedConnections
                }
            )
            if connections == 1 { return }
        }
        Issue.record("the connection was closed each time")
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func doesNotDrainALongRemainder(wire: Wire) async throws {
        try await wire.with { server, session in
            let response = try await session.stream(server.url("/infinite"))
            response.body.discard()
            await server.waitForOpenConnections(0)
            let silent = try await session.stream(server.url("/drip/2/30"))
            silent.body.discard()
            await server.waitForOpenConnections(0)
            try await session.get(server.url("/get")).validate()
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func rejectsASecondReadOfABody(wire: Wire) async throws {
        try await wire.with { server, session in
            let response = try await session.stream(server.url("/bytes/1000000"))
            for try await _ in response.body {}
            let error = await #expect(throws: ApusError.self) {
                for try await _ in response.body {}
            }
            #expect(error?.code == .bodyAlreadyRead)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func providesTrailersAfterTheEnd(wire: Wire) async throws {
        try await wire.with { server, session in
            let response = try await session.stream(server.url("/trailers"))
            var reader = response.body.makeAsyncIterator()
            while try await reader.next() != nil {}
            let name = try #require(HTTPField.Name("X-Apus"))
            #expect(response.body.trailers?[name] == "behind the body")
            #expect(try await session.get(server.url("/trailers")).trailers?[name] == "behind the body")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func recordsEarlyHints(wire: Wire) async throws {
        try await wire.with { server, session in
            let response = try await session.get(server.url("/early-hints")).validate()
            let hints = try #require(response.metrics.exchanges.first?.informational.first)
            #expect(hints.status.code == 103)
            let link = try #require(HTTPField.Name("Link"))
            #expect(hints.headerFields[link] == "</style.css>; rel=preload; as=style")
        }
    }

    /// Holds a response until its request is cancelled, and returns it nevertheless.
    private struct LateMiddleware: Middleware {
        func handle(
            _ request: consuming RequestMessage,
            context: RequestContext,
            next: Next
        ) async throws -> ResponseMessage {
            let response = try await next(request, context: context)
            await Gate().wait()
            return response
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func releasesAResponseAfterTheDeadline(wire: Wire) async throws {
        try await wire.with(configuration: wire.configured { $0.middleware = [LateMiddleware()] }) { server, session in
            let options: RequestOptions = [RequestDeadline(.milliseconds(100))]
            let error = await #expect(throws: ApusError.self) {
                try await session.stream(server.url("/infinite"), options: options)
            }
            #expect(error?.code == .deadlineExceeded)
            await server.waitForOpenConnections(0)
            while session.requestCounts.inFlight > 0 { await Task.yield() }
            _ = try? await session.get(server.url("/get"), options: options)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func releasesTheSlotOfAnUnreadStreamAtTheDeadline(wire: Wire) async throws {
        try await wire.with { server, session in
            let response = try await session.streamWithShortDeadline(
                server.url("/infinite"),
                shortest: .milliseconds(200)
            )
            await server.waitForOpenConnections(0)
            while session.requestCounts.inFlight > 0 { await Task.yield() }
            let error = await #expect(throws: ApusError.self) {
                for try await _ in response.body {}
            }
            #expect(error?.code == .deadlineExceeded)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func removesTheFileOfAnInterruptedDownload(wire: Wire) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "apus-download-\(UInt64.random(in: 0 ... .max))"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file")
        try await wire.with { server, session in
            let error = await #expect(throws: ApusError.self) {
                try await session.download(server.url("/download/2000000?shouldProduceError=true"), to: file)
            }
            #expect(error?.code == .connectionClosed)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            let downloaded = try await session.download(server.url("/download/2000000"), to: file)
            #expect(downloaded.byteCount == 2_000_000)
            #expect(try Data(contentsOf: file) == Data(TestServer.pattern(count: 2_000_000)))
        }
    }
}
