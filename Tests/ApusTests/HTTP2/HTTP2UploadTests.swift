import Apus
import ApusEngine
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Request bodies arrive unchanged over HTTP/2, within the windows of the server.
@Suite(.timeLimit(.minutes(5))) struct HTTP2UploadTests {
    private static let expecting: RequestFields = [.expect: "100-continue"]

    private static func pieces(of data: Data, size: Int) -> AsyncStream<BodyChunk> {
        AsyncStream { stream in
            for start in stride(from: 0, to: data.count, by: size) {
                stream.yield(BodyChunk(data[start..<min(start + size, data.count)]))
            }
            stream.finish()
        }
    }

    private func expectEcho(
        of body: RequestBody,
        _ data: Data,
        options: HTTP2Server.Options = HTTP2Server.Options(),
        wire: Wire
    ) async throws {
        try await wire.withHTTP2(options, responder: HTTP2Server.echo) { server, session in
            for method in [HTTPRequest.Method.post, .put] where body.isReplayable {
                let message = try RequestMessage(server.url("/"), method: method, body: body)
                let response = try await session.send(message).validate()
                #expect(response.data == data)
                #expect(response.metrics.exchanges.first?.requestBodyBytes == Int64(data.count))
            }
            let length = body.length.map { String($0) }
            #expect(server.requests.allSatisfy { $0["content-length"] == length })
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: Bodies

    @Test(arguments: Wire.allCases, [0, 1, 16 << 10, (16 << 10) + 1, 65_535, 65_536, 300_000, 4 << 20])
    func sendsBytesInMemory(wire: Wire, count: Int) async throws {
        let data = Data(TestServer.pattern(count: count))
        try await expectEcho(of: .bytes(data), data, wire: wire)
    }

    /// Neither DATA nor another frame is needed for a request without a body.
    @Test(arguments: Wire.allCases)
    func endsARequestWithoutABodyWithItsHead(wire: Wire) async throws {
        try await wire.withHTTP2 { server, session in
            try await session.get(server.url("/")).validate()
            try await session.post(server.url("/")).validate()
            let heads = server.frames.filter { $0.kind == .headers }
            #expect(heads.map(\.endsStream) == [true, true])
            #expect(!server.frames.contains { $0.kind == .data })
            #expect(server.requests.map { $0["content-length"] } == [nil, "0"])
        }
    }

    @Test(arguments: Wire.allCases, [true, false])
    func sendsAReplayableStream(wire: Wire, knowsItsLength: Bool) async throws {
        let data = Data(TestServer.pattern(count: 1_000_000))
        let body = RequestBody.replayable(length: knowsItsLength ? Int64(data.count) : nil) {
            Self.pieces(of: data, size: 10_007)
        }
        try await expectEcho(of: body, data, wire: wire)
    }

    @Test(arguments: Wire.allCases, [true, false])
    func sendsASingleUseStream(wire: Wire, knowsItsLength: Bool) async throws {
        let data = Data(TestServer.pattern(count: 1_000_000))
        let length = knowsItsLength ? Int64(data.count) : nil
        try await expectEcho(of: .once(length: length, Self.pieces(of: data, size: 10_007)), data, wire: wire)
    }

    @Test(arguments: Wire.allCases)
    func sendsAFile(wire: Wire) async throws {
        let data = Data(TestServer.pattern(count: 1_000_000))
        let file = FileManager.default.temporaryDirectory.appending(
            path: "apus-upload-\(UInt64.random(in: 0 ... .max))"
        )
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await expectEcho(of: .file(file), data, wire: wire)
    }

    @Test(arguments: Wire.allCases)
    func sendsLongBodiesAtTheSameTime(wire: Wire) async throws {
        try await wire.withHTTP2(responder: HTTP2Server.echo) { server, session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let data = Data(TestServer.pattern(offset: number, count: 500_000))
                        let response = try await session.post(server.url("/"), body: .bytes(data))
                        #expect(response.data == data)
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    /// The head of the response may precede the rest of the request, and both bodies flow at the same time.
    @Test(arguments: Wire.allCases)
    func receivesWhileItSends(wire: Wire) async throws {
        let (chunks, source) = AsyncStream.makeStream(of: BodyChunk.self)
        try await wire.withHTTP2(
            responder: { stream in
                stream.head()
                for count in [3, 6] {
                    await stream.waitForBytes(count)
                    await stream.send(Array(stream.progress.value.body.suffix(3)))
                }
                let body = await stream.body()
                await stream.send("\(body.count)", ends: true)
            }
        ) { server, session in
            let response = try await session.stream(server.url("/"), method: .post, body: .once(chunks))
            var reader = response.body.makeAsyncIterator()
            for text in ["one", "two"] {
                source.yield(BodyChunk(text))
                let chunk = try await reader.next()
                #expect(chunk == BodyChunk(text))
            }
            source.finish()
            let last = try await reader.next()
            #expect(last == BodyChunk("6"))
            let end = try await reader.next()
            #expect(end == nil)
        }
    }

    @Test(arguments: Wire.allCases, [5, 300_000])
    func receivesTrailersAfterAnUpload(wire: Wire, count: Int) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                let body = await stream.body()
                stream.head()
                await stream.send(body)
                stream.trailers([("x-count", "\(body.count)")])
            }
        ) { server, session in
            let data = Data(TestServer.pattern(count: count))
            let response = try await session.post(server.url("/"), body: .bytes(data))
            #expect(response.data == data)
            let name = try #require(HTTPField.Name("X-Count"))
            #expect(response.trailers?[name] == "\(count)")
        }
    }

    @Test(arguments: Wire.allCases)
    func resetsTheStreamIfTheBodyFails(wire: Wire) async throws {
        struct Broken: Error {}
        try await wire.withHTTP2 { server, session in
            let body = RequestBody.once(
                AsyncThrowingStream { stream in
                    stream.yield(BodyChunk("hello"))
                    stream.finish(throwing: Broken())
                }
            )
            let error = await #expect(throws: ApusError.self) {
                try await session.post(server.url("/broken"), body: body)
            }
            #expect(error?.code == .requestBodyFailed)
            #expect(error?.underlying is Broken)
            let stream = try await server.stream(for: "/broken")
            #expect(await stream.resetCode() == .cancel)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases, [Int64(4), 6])
    func rejectsAStreamOfTheWrongLength(wire: Wire, declaredLength: Int64) async throws {
        try await wire.withHTTP2 { server, session in
            let body = RequestBody.once(length: declaredLength, Self.pieces(of: Data("hello".utf8), size: 3))
            let error = await #expect(throws: ApusError.self) {
                try await session.post(server.url("/wrong"), body: body)
            }
            #expect(error?.code == .requestBodyFailed)
            #expect(error?.detail.contains("declared \(declaredLength) bytes, but produced") == true)
            let stream = try await server.stream(for: "/wrong")
            #expect(await stream.resetCode() == .cancel)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: Windows

    /// A stream is read no further than the window of the server allows, so that it needs little memory.
    @Test(arguments: Wire.allCases)
    func readsAStreamAsTheWindowOpens(wire: Wire) async throws {
        let taken = Tally()
        let options = HTTP2Server.Options(holdsWindow: { $0.path == "/held" })
        try await wire.withHTTP2(options) { server, session in
            let chunks = AsyncStream<BodyChunk>(unfolding: {
                taken.countUp() <= 20 ? BodyChunk(Data(count: 10_000)) : nil
            })
            async let response = session.post(server.url("/held"), body: .once(chunks))
            let stream = try await server.stream(for: "/held")
            await stream.waitForBytes(65_535)
            await Wire.yieldToOthers()
            // Six chunks, and the seventh in part.
            #expect(taken.value == 7)
            stream.openWindow(by: 200_000)
            let status = try await response.statusCode
            #expect(status == 200)
            #expect(stream.progress.value.body.count == 200_000)
        }
    }

    /// The server opens the windows only as far as it has announced, and checks that the client stays within them.
    @Test(arguments: Wire.allCases, [UInt32(1000), 16_384, 1 << 20])
    func staysWithinTheWindowOfTheServer(wire: Wire, windowBytes: UInt32) async throws {
        let data = Data(TestServer.pattern(count: 100_000))
        let options = HTTP2Server.Options(settings: [.windowBytes(windowBytes)])
        try await expectEcho(of: .bytes(data), data, options: options, wire: wire)
    }

    @Test(arguments: Wire.allCases)
    func waitsForTheWindowOfTheStream(wire: Wire) async throws {
        let data = Data(TestServer.pattern(count: 25_000))
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.windowBytes(10_000)], opensWindows: false),
            responder: { stream in
                if stream.request.method == "POST" {
                    await stream.waitForBytes(10_000)
                    stream.openWindow(by: 5_000)
                    await stream.waitForBytes(15_000)
                    stream.openWindow(by: 1)
                    await stream.waitForBytes(15_001)
                    stream.openWindow(by: 20_000)
                }
                let body = await stream.body()
                await stream.respond(bytes: body)
            }
        ) { server, session in
            // The settings of the server are known afterwards.
            try await session.get(server.url("/")).validate()
            #expect(try await session.post(server.url("/"), body: .bytes(data)).data == data)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func waitsForTheWindowOfTheConnection(wire: Wire) async throws {
        let data = Data(TestServer.pattern(count: 50_000))
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.windowBytes(1 << 20)], opensWindows: false),
            responder: HTTP2Server.echo
        ) { server, session in
            try await session.get(server.url("/")).validate()
            async let first = session.post(server.url("/first"), body: .bytes(data))
            async let second = session.post(server.url("/second"), body: .bytes(data))
            let streams = [try await server.stream(for: "/first"), try await server.stream(for: "/second")]
            await server.wait { log in
                log.frames.reduce(0) { $0 + ($1.kind == .data ? $1.byteCount : 0) } == 65_535
            }
            #expect(streams.contains { !$0.progress.value.isRequestEnded })
            let connection = try #require(server.connections.first)
            connection.openWindow(by: 100_000)
            let responses = try await [first, second]
            #expect(responses.map(\.data) == [data, data])
        }
    }

    /// SETTINGS may arrive after more bytes than the new window allows, which makes it negative.
    @Test(arguments: Wire.allCases)
    func continuesAfterANegativeWindow(wire: Wire) async throws {
        let data = Data(TestServer.pattern(count: 100_000))
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.windowBytes(1000)], opensWindows: false),
            responder: { stream in
                stream.connection.openWindow(by: 100_000)
                stream.openWindow(by: 70_000)
                stream.openWindow(by: 130_000)
                let body = await stream.body()
                await stream.respond(bytes: body)
            }
        ) { server, session in
            let echoed = try await session.post(server.url("/"), body: .bytes(data)).data
            #expect(echoed == data)
        }
    }

    /// A window of nothing stops a stream, and the others continue.
    @Test(arguments: Wire.allCases)
    func sendsOtherRequestsWhileOneWaits(wire: Wire) async throws {
        let body = RequestBody.bytes(Data(count: 20_000))
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.windowBytes(10_000)], opensWindows: false)
        ) { server, session in
            try await session.get(server.url("/")).validate()
            async let stuck = session.post(server.url("/stuck"), body: body)
            let stream = try await server.stream(for: "/stuck")
            await stream.waitForBytes(10_000)
            for _ in 0..<5 { try await session.get(server.url("/")).validate() }
            try await session.post(server.url("/"), body: .bytes(Data(count: 5_000))).validate()
            #expect(stream.progress.value.body.count == 10_000)
            stream.openWindow(by: 10_000)
            let response = try await stuck
            #expect(response.statusCode == 200)
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: Early responses

    /// The rest of the body is not sent after a complete response.
    @Test(arguments: Wire.allCases, [true, false])
    func stopsSendingAfterAResponse(wire: Wire, resets: Bool) async throws {
        try await wire.withHTTP2(
            HTTP2Server.Options(opensWindows: false),
            responder: { stream in
                guard stream.request.path == "/refused" else { return await stream.respond() }
                await stream.waitForBytes(1)
                await stream.respond("no", status: 413)
                // RFC 9113 §8.1: the response is complete, so this is no error.
                if resets { stream.reset(.noError) }
            }
        ) { server, session in
            let body = RequestBody.bytes(Data(count: 4 << 20))
            let response = try await session.post(server.url("/refused"), body: body)
            #expect(response.statusCode == 413)
            #expect(try response.string() == "no")
            let stream = try await server.stream(for: "/refused")
            await stream.progress.wait { $0.isOver }
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: Expect

    @Test(arguments: Wire.allCases, [5, 100_000])
    func waitsFor100Continue(wire: Wire, count: Int) async throws {
        try await wire.withHTTP2(
            configure: { $0.timeouts.expectContinue = .seconds(40) },
            responder: { stream in
                stream.head(100)
                let body = await stream.body()
                await stream.respond(bytes: body)
            }
        ) { server, session in
            let data = Data(TestServer.pattern(count: count))
            let response = try await session.post(server.url("/"), fields: Self.expecting, body: .bytes(data))
            #expect(response.data == data)
            #expect(server.requests.first?["expect"] == "100-continue")
            #expect(response.metrics.exchanges.first?.informational.map(\.status.code) == [100])
        }
    }

    /// Unlike over HTTP/1.1, the connection can be used again.
    @Test(arguments: Wire.allCases)
    func doesNotSendTheBodyAfterARejection(wire: Wire) async throws {
        try await wire.withHTTP2(
            configure: { $0.timeouts.expectContinue = .seconds(40) },
            responder: { stream in
                if stream.request.method == "POST" { return await stream.respond("no", status: 417) }
                await stream.respond()
            }
        ) { server, session in
            let response = try await session.post(
                server.url("/"),
                fields: Self.expecting,
                body: .string("unwanted")
            )
            #expect(response.statusCode == 417)
            #expect(response.metrics.exchanges.first?.requestBodyBytes == 0)
            await server.waitForFrame { $0.kind == .reset }
            try await session.get(server.url("/")).validate()
            #expect(!server.frames.contains { $0.kind == .data })
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func sendsTheBodyIfTheServerIsSilent(wire: Wire) async throws {
        try await wire.withHTTP2(
            configure: { $0.timeouts.expectContinue = .milliseconds(50) },
            responder: HTTP2Server.echo
        ) { server, session in
            let response = try await session.post(server.url("/"), fields: Self.expecting, body: .string("hello"))
            #expect(try response.string() == "hello")
        }
    }
}
