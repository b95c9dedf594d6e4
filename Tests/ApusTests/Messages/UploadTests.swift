import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Request bodies of every kind arrive unchanged, or fail with a specific error.
@Suite struct UploadTests {
    private static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    private struct Report: Decodable {
        let bytes: Int
        let adler32: String
    }

    /// Computes the checksum of RFC 1950, which the server reports for the body it received.
    private static func adler32(_ data: Data) -> String {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in data {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        let text = String(high << 16 | low, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }

    private static func pieces(of data: Data, size: Int) -> AsyncStream<BodyChunk> {
        AsyncStream { stream in
            for start in stride(from: 0, to: data.count, by: size) {
                stream.yield(BodyChunk(data[start..<min(start + size, data.count)]))
            }
            stream.finish()
        }
    }

    private func expectArrival(of body: RequestBody, _ data: Data, wire: Wire) async throws {
        try await wire.with { server, session in
            for method in [HTTPRequest.Method.post, .put] where body.isReplayable {
                let message = try RequestMessage(server.url("/upload"), method: method, body: body)
                let report = try await session.send(message).validate().decode(Report.self)
                #expect(report.bytes == data.count)
                #expect(report.adler32 == Self.adler32(data))
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [0, 1, 16 << 10, (16 << 10) + 1, 300_000, 4 << 20])
    func sendsBytesInMemory(wire: Wire, count: Int) async throws {
        let data = Data(TestServer.pattern(count: count))
        try await expectArrival(of: .bytes(data), data, wire: wire)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [true, false])
    func sendsAReplayableStream(wire: Wire, knowsItsLength: Bool) async throws {
        let data = Data(TestServer.pattern(count: 1_000_000))
        let body = RequestBody.replayable(length: knowsItsLength ? Int64(data.count) : nil) {
            Self.pieces(of: data, size: 10_007)
        }
        try await expectArrival(of: body, data, wire: wire)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [true, false])
    func sendsASingleUseStream(wire: Wire, knowsItsLength: Bool) async throws {
        let data = Data(TestServer.pattern(count: 1_000_000))
        let length = knowsItsLength ? Int64(data.count) : nil
        try await expectArrival(of: .once(length: length, Self.pieces(of: data, size: 10_007)), data, wire: wire)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func sendsAFileAndARangeOfIt(wire: Wire) async throws {
        let data = Data(TestServer.pattern(count: 1_000_000))
        let file = FileManager.default.temporaryDirectory.appending(
            path: "apus-upload-\(UInt64.random(in: 0 ... .max))"
        )
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await expectArrival(of: .file(file), data, wire: wire)
        try await expectArrival(of: .file(file, range: 1000..<200_000), data[1000..<200_000], wire: wire)
    }

    @Test(.timeLimit(.minutes(5)))
    func rejectsAChangedFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "apus-upload-\(UInt64.random(in: 0 ... .max))"
        )
        try Data("as it was".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let body = try RequestBody.file(file)
        try Data("as it is now".utf8).write(to: file)
        let outcome = try await Wire.plain.outcome(of: .responding(with: Self.okResponse), method: .put, body: body)
        #expect(outcome.code == .fileChanged)
    }

    @Test(.timeLimit(.minutes(5)))
    func framesEachChunk() async throws {
        let body = RequestBody.once(
            AsyncStream { stream in
                for text in ["hello", "", "sixteen bytes...", "!"] { stream.yield(BodyChunk(text)) }
                stream.finish()
            }
        )
        let expected = "5\r\nhello\r\n10\r\nsixteen bytes...\r\n1\r\n!\r\n0\r\n\r\n"
        let script: Script = [.expectHead, .expectBytes(expected.utf8.count), .send(Self.okResponse), .silence]
        try await Wire.plain.with(.script(script)) { server, session in
            try await session.post(server.url("/"), body: body).validate()
            let request = try #require(server.requests.first)
            #expect(request.bodyText.lowercased() == expected)
            #expect(request["Transfer-Encoding"] == "chunked")
            #expect(request["Content-Length"] == nil)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [4, 6])
    func rejectsAStreamOfTheWrongLength(wire: Wire, declaredLength: Int64) async throws {
        let body = RequestBody.once(length: declaredLength, Self.pieces(of: Data("hello".utf8), size: 3))
        let outcome = try await wire.outcome(of: .responding(with: Self.okResponse), method: .post, body: body)
        #expect(outcome.code == .requestBodyFailed)
        #expect(outcome.error?.phase == .send)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func failsIfTheStreamThrows(wire: Wire) async throws {
        struct Broken: Error {}
        let body = RequestBody.once(
            AsyncThrowingStream { stream in
                stream.yield(BodyChunk("hello"))
                stream.finish(throwing: Broken())
            }
        )
        let outcome = try await wire.outcome(of: .responding(with: Self.okResponse), method: .post, body: body)
        #expect(outcome.code == .requestBodyFailed)
        #expect(outcome.error?.underlying is Broken)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func omitsExpectWithoutABody(wire: Wire) async throws {
        try await wire.with(.script(.responding(with: Self.okResponse))) { server, session in
            try await session.get(server.url("/"), fields: [.expect: "100-continue"]).validate()
            try await session.post(server.url("/"), fields: [.expect: "100-continue"]).validate()
            try await session.post(server.url("/"), fields: [.expect: "100-continue"], body: .string("")).validate()
            for request in server.requests { #expect(request["Expect"] == nil) }
            #expect(server.requestCount == 3)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func acceptsAResponseBeforeTheEndOfTheUpload(wire: Wire) async throws {
        let early: Script = [
            .expectHead, .stopReading, .send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig"),
            .silence,
        ]
        let bodies: [RequestBody] = [
            .bytes(Data(count: 64 << 20)),
            .replayable { AsyncStream { _ in } as AsyncStream<BodyChunk> },
        ]
        for body in bodies {
            try await wire.with(.scripts([early, .responding(with: Self.okResponse)])) { server, session in
                let response = try await session.post(server.url("/"), body: body)
                #expect(response.status.code == 413)
                #expect(try response.string() == "big")
                #expect(try await session.get(server.url("/")).string() == "hi")
                #expect(server.acceptedConnections == 2)
            }
        }
    }

    /// A server that responds with success in place of `100 (Continue)` may still read the body.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func sendsTheBodyAfterASuccessInPlaceOfContinue(wire: Wire) async throws {
        let script: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .expectBody, .send("hi"), .silence,
        ]
        try await wire.with(.script(script)) { server, session in
            let response = try await session.post(
                server.url("/"),
                fields: [.expect: "100-continue"],
                body: .string("all of it"),
                options: [RequestDeadline(.seconds(60))]
            )
            #expect(try response.string() == "hi")
            #expect(server.requests.first?.bodyText == "all of it")
        }
    }

    /// The memory of a long body is not occupied a second time, even if it is sent in chunks.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func writesALongChunkInSlices(wire: Wire) async throws {
        let size = 64 << 20
        let whole = BodyChunk(Data(count: size))
        let bodies: [RequestBody] = [
            .bytes(Data(count: size)).withTrailers(["X-End": "1"]),
            .replayable { AsyncStream { stream in stream.yield(whole) } },
        ]
        for body in bodies {
            let early: Script = [
                .expectHead, .stopReading, .send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig"),
                .silence,
            ]
            try await wire.with(.script(early)) { server, session in
                let response = try await session.post(server.url("/"), body: body)
                #expect(response.status.code == 413)
                let sent = try #require(response.metrics.exchanges.first?.requestBodyBytes)
                #expect(sent < size / 2)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func appliesBackPressureToTheStream(wire: Wire) async throws {
        let isStuck = Gate()
        let release = Gate()
        let taken = Tally()
        let size = 64 << 10
        let script: Script = [.expectHead, .stopReading, .signal(isStuck), .wait(release), .reset]
        try await wire.with(.script(script)) { server, session in
            let body = RequestBody.replayable {
                AsyncStream<BodyChunk>(unfolding: {
                    taken.countUp()
                    return BodyChunk(repeatElement(UInt8(ascii: "x"), count: size))
                })
            }
            async let outcome = Form.direct.outcome(
                of: try RequestMessage(server.url("/"), method: .post, body: body),
                on: session
            )
            await isStuck.wait()
            var last = -1
            while taken.value != last {
                last = taken.value
                await Wire.yieldToOthers()
            }
            // The socket buffers of both sides hold this much, plus a few chunks in flight.
            #expect(taken.value * size < 32 << 20)
            release.open()
            #expect(try await outcome.error != nil)
        }
    }

    // MARK: Expect: 100-continue

    private static let expecting: RequestFields = [.expect: "100-continue"]

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [5, 100_000])
    func sendsTheBodyAfter100Continue(wire: Wire, count: Int) async throws {
        let script: Script = [
            .expectHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .expectBody, .send(Self.okResponse), .silence,
        ]
        try await wire.with(
            .script(script),
            configuration: wire.configured { $0.timeouts.expectContinue = .seconds(40) }
        ) {
            server,
            session in
            let body = RequestBody.bytes(Data(TestServer.pattern(count: count)))
            let response = try await session.post(server.url("/"), fields: Self.expecting, body: body)
            #expect(try response.string() == "hi")
            #expect(server.requests.first?.bodyByteCount == count)
            #expect(response.metrics.exchanges.first?.informational.map(\.status.code) == [100])
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func doesNotSendTheBodyAfterARejection(wire: Wire) async throws {
        let refusing: Script = [
            .expectHead, .send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno"), .silence,
        ]
        try await wire.with(
            .scripts([refusing, .responding(with: Self.okResponse)]),
            configuration: wire.configured { $0.timeouts.expectContinue = .seconds(40) }
        ) { server, session in
            let response = try await session.post(server.url("/"), fields: Self.expecting, body: .string("unwanted"))
            #expect(response.status.code == 417)
            #expect(response.metrics.exchanges.first?.requestBodyBytes == 0)
            #expect(try await session.get(server.url("/")).string() == "hi")
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func sendsTheBodyIfTheServerIsSilent(wire: Wire) async throws {
        let script = Script.responding(with: Self.okResponse)
        try await wire.with(
            .script(script),
            configuration: wire.configured { $0.timeouts.expectContinue = .milliseconds(50) }
        ) {
            server,
            session in
            let response = try await session.post(server.url("/"), fields: Self.expecting, body: .string("hello"))
            #expect(try response.string() == "hi")
            #expect(server.requests.first?.bodyText == "hello")
        }
    }

    // MARK: Retries

    /// Parity: AF-fault-stream-again
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func resendsAReplayableStreamFromItsFirstByte(wire: Wire) async throws {
        let dying: Script = [.expectHead, .send(Self.okResponse), .expectHead, .expectBytes(4), .close]
        let completing: Script = [.expectHead, .expectBody, .send(Self.okResponse), .silence]
        let made = Tally()
        try await wire.with(.scripts([dying, completing])) { server, session in
            _ = try await session.get(server.url("/"))
            let body = RequestBody.replayable(length: 8) {
                let isFirst = made.countUp() == 1
                return AsyncStream<BodyChunk> { stream in
                    stream.yield(BodyChunk("1234"))
                    // The first connection dies in the middle of this body.
                    guard !isFirst else { return }
                    stream.yield(BodyChunk("5678"))
                    stream.finish()
                }
            }
            try await session.put(server.url("/"), body: body).validate()
            #expect(server.requests.last?.bodyText == "12345678")
            #expect(made.value == 2)
        }
    }

    /// Parity: AF-fault-stream-again
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func doesNotResendASingleUseStream(wire: Wire) async throws {
        let dying: Script = [.expectHead, .send(Self.okResponse), .expectHead, .expectBytes(4), .close]
        try await wire.with(.script(dying)) { server, session in
            _ = try await session.get(server.url("/"))
            let chunks = AsyncStream<BodyChunk> { $0.yield(BodyChunk("1234")) }
            let error = await #expect(throws: ApusError.self) {
                try await session.put(server.url("/"), body: .once(length: 8, chunks))
            }
            #expect(error?.code == .connectionClosed || error?.code == .sendFailed)
            #expect(server.acceptedConnections == 1)
        }
    }
}
