import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// A content comes as fast as it is read, and no faster.
@Suite struct StreamingTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    @Test(
        .timeLimit(.minutes(5)),
        arguments: Wire.allCases,
        ["/bytes/3000000", "/chunked/500", "/bytes/0", "/json/2000"]
    )
    func aContentComesByteByByteAsItWasSent(wire: Wire, path: String) async throws {
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
    func aReaderThatPausesHoldsTheServerBack(wire: Wire) async throws {
        let offered = Tally()
        let size = 64 << 10
        let count = (1 << 30) / size
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: size)
        let behaviour = TestServer.Behaviour.handler { request in
            guard request.path == "/large" else { return .text("small") }
            return TestResponse(
                body: .generated(length: size * count) { number in
                    guard number < count else { return nil }
                    offered.countUp()
                    return piece
                }
            )
        }
        try await wire.with(behaviour) { server, session in
            let answer = try await session.stream(server.url("/large"))
            #expect(answer.expectedLength == Int64(size * count))
            var reader = answer.body.makeAsyncIterator()
            for _ in 0..<5 {
                _ = try await reader.next()
                var last = -1
                while offered.value != last {
                    last = offered.value
                    // Whole exchanges on the same loops show that everything has come to rest meanwhile.
                    for _ in 0..<5 { try await session.get(server.url("/")).validate() }
                }
            }
            // What the sockets of both sides and the server's own buffer hold.
            #expect(offered.value * size < 32 << 20)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aStreamThatNobodyHoldsIsGivenUp(wire: Wire) async throws {
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
    func aShortRestIsDrainedAndItsConnectionKept(wire: Wire) async throws {
        let release = Gate()
        let script: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .wait(release), .send("world"),
            .loop([.expectHead, .send(Self.answer)]),
        ]
        try await wire.with(.script(script)) { server, session in
            let answer = try await session.stream(server.url("/"))
            answer.body.discard()
            release.open()
            for _ in 0..<3 {
                let next = try await session.stream(server.url("/"))
                next.body.discard()
            }
            #expect(try await session.get(server.url("/")).string() == "hi")
            #expect(server.requestCount == 5)
        }
    }

    /// Letting go of an answer that was discarded does not cut its draining off. That has 50 ms, which a busy machine may
    /// miss once, but not each time.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aShortRestIsDrainedThoughNobodyHoldsTheAnswer(wire: Wire) async throws {
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
    func aLongRestIsNotDrained(wire: Wire) async throws {
        try await wire.with { server, session in
            let answer = try await session.stream(server.url("/infinite"))
            answer.body.discard()
            await server.waitForOpenConnections(0)
            let silent = try await session.stream(server.url("/drip/2/30"))
            silent.body.discard()
            await server.waitForOpenConnections(0)
            try await session.get(server.url("/get")).validate()
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aContentIsReadOnce(wire: Wire) async throws {
        try await wire.with { server, session in
            let answer = try await session.stream(server.url("/bytes/1000000"))
            for try await _ in answer.body {}
            let error = await #expect(throws: ApusError.self) {
                for try await _ in answer.body {}
            }
            #expect(error?.code == .bodyAlreadyRead)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func trailersAreThereAfterTheEnd(wire: Wire) async throws {
        try await wire.with { server, session in
            let answer = try await session.stream(server.url("/trailers"))
            var reader = answer.body.makeAsyncIterator()
            while try await reader.next() != nil {}
            let name = try #require(HTTPField.Name("X-Apus"))
            #expect(answer.body.trailers?[name] == "behind the body")
            #expect(try await session.get(server.url("/trailers")).trailers?[name] == "behind the body")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func earlyHintsAreSeen(wire: Wire) async throws {
        try await wire.with { server, session in
            let response = try await session.get(server.url("/early-hints")).validate()
            let hints = try #require(response.metrics.hops.first?.informational.first)
            #expect(hints.status.code == 103)
            let link = try #require(HTTPField.Name("Link"))
            #expect(hints.headerFields[link] == "</style.css>; rel=preload; as=style")
        }
    }

    /// Holds an answer back until its request is given up, and hands it on nevertheless.
    private struct Stubborn: Middleware {
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
    func anAnswerThatComesBehindItsDeadlineIsLetGo(wire: Wire) async throws {
        try await wire.with(configuration: wire.configured { $0.middleware = [Stubborn()] }) { server, session in
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
    func aStreamThatNobodyReadsGivesItsPlaceBackAtItsDeadline(wire: Wire) async throws {
        try await wire.with { server, session in
            let answer = try await session.streamWithShortDeadline(
                server.url("/infinite"),
                shortest: .milliseconds(200)
            )
            await server.waitForOpenConnections(0)
            while session.requestCounts.inFlight > 0 { await Task.yield() }
            let error = await #expect(throws: ApusError.self) {
                for try await _ in answer.body {}
            }
            #expect(error?.code == .deadlineExceeded)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aDownloadThatBreaksOffLeavesNothing(wire: Wire) async throws {
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
