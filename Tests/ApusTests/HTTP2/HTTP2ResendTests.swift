import Apus
import ApusEngine
import ApusTestServer
import Foundation
import Testing

/// A request is sent again if its server has not processed it. Otherwise only an idempotent one is, and only once.
@Suite(.timeLimit(.minutes(5))) struct HTTP2ResendTests {
    private static func bodies(of data: Data) -> [RequestBody] {
        let stream = RequestBody.replayable {
            AsyncStream<BodyChunk> { stream in
                stream.yield(BodyChunk(data))
                stream.finish()
            }
        }
        return [.bytes(data), stream]
    }

    // MARK: REFUSED_STREAM

    @Test(arguments: Wire.allCases, [1, 2, 3])
    func resendsAPOSTThatWasRefused(wire: Wire, count: Int) async throws {
        let arrived = Tally()
        try await wire.withHTTP2(
            responder: { stream in
                if arrived.countUp() <= count { return stream.reset(.refusedStream) }
                let body = await stream.body()
                await stream.respond(bytes: body)
            }
        ) { server, session in
            let response = try await session.post(server.url("/"), body: .string("once"))
            #expect(try response.string() == "once")
            #expect(response.metrics.exchanges.map(\.resendCount) == [count])
            #expect(server.requests.count == count + 1)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases, [3, 300_000])
    func resendsABodyFromItsFirstByte(wire: Wire, size: Int) async throws {
        let data = Data(TestServer.pattern(count: size))
        for body in Self.bodies(of: data) {
            let arrived = Tally()
            try await wire.withHTTP2(
                responder: { stream in
                    if arrived.countUp() == 1 {
                        await stream.waitForBytes(3)
                        return stream.reset(.refusedStream)
                    }
                    let body = await stream.body()
                    await stream.respond(bytes: body)
                }
            ) { server, session in
                let response = try await session.post(server.url("/"), body: body)
                #expect(response.data == data)
                #expect(response.metrics.exchanges.first?.requestBodyBytes == Int64(size))
                #expect(server.acceptedConnections == 1)
            }
        }
    }

    @Test(arguments: Wire.allCases)
    func failsAfterThreeResends(wire: Wire) async throws {
        try await wire.withHTTP2(responder: { stream in stream.reset(.refusedStream) }) { server, session in
            let error = await #expect(throws: ApusError.self) {
                try await session.post(server.url("/"), body: .string("never"))
            }
            #expect(error?.code == .streamReset)
            #expect(error?.description.contains("REFUSED_STREAM") == true)
            #expect(error?.exchanges.map(\.resendCount) == [3])
            #expect(server.requests.count == 4)
            #expect(server.acceptedConnections == 1)
        }
    }

    /// A response contradicts the refusal.
    @Test(arguments: Wire.allCases)
    func doesNotResendARequestThatHasAResponse(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                stream.head()
                stream.reset(.refusedStream)
            }
        ) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
            #expect(error?.code == .streamReset)
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func doesNotResendAStreamThatCanBeReadOnce(wire: Wire) async throws {
        let (chunks, source) = AsyncStream.makeStream(of: BodyChunk.self)
        try await wire.withHTTP2(
            responder: { stream in
                await stream.waitForBytes(5)
                stream.reset(.refusedStream)
            }
        ) { server, session in
            source.yield(BodyChunk("hello"))
            let error = await #expect(throws: ApusError.self) {
                try await session.post(server.url("/"), body: .once(chunks))
            }
            #expect(error?.code == .streamReset)
            #expect(server.requests.count == 1)
        }
    }

    // MARK: GOAWAY

    /// The streams up to the last one continue, and the request above it is sent on another connection.
    @Test(arguments: Wire.allCases)
    func resendsRequestsExcludedByGOAWAY(wire: Wire) async throws {
        let release = Gate()
        try await wire.withHTTP2(
            responder: { stream in
                if stream.request.connection == 1 { await release.wait() }
                await stream.respond(stream.request.path)
            }
        ) { server, session in
            async let first = session.post(server.url("/1"), body: .string("a"))
            let firstStream = try await server.stream(for: "/1")
            async let second = session.post(server.url("/2"), body: .string("b"))
            let secondStream = try await server.stream(for: "/2")
            async let third = session.post(server.url("/3"), body: .string("c"))
            _ = try await server.stream(for: "/3")
            #expect(firstStream.connection === secondStream.connection)
            firstStream.connection.goAway(lastStream: secondStream.id)
            let excluded = try await third
            #expect(try excluded.string() == "/3")
            #expect(excluded.metrics.exchanges.map(\.resendCount) == [1])
            release.open()
            let responses = try await [first, second]
            #expect(responses.map(\.data) == [Data("/1".utf8), Data("/2".utf8)])
            // The connection that drains is closed after its last stream.
            await server.waitForOpenConnections(1)
            try await session.get(server.url("/4")).validate()
            #expect(server.requests.map(\.connection) == [1, 1, 1, 2, 2])
            #expect(server.acceptedConnections == 2)
        }
    }

    /// The first GOAWAY of a graceful shutdown excludes nothing, RFC 9113 §6.8.
    @Test(arguments: Wire.allCases)
    func drainsInTwoSteps(wire: Wire) async throws {
        let release = Gate()
        try await wire.withHTTP2(
            responder: { stream in
                if stream.request.path == "/held" { await release.wait() }
                await stream.respond()
            }
        ) { server, session in
            async let held = session.get(server.url("/held"))
            let stream = try await server.stream(for: "/held")
            stream.connection.goAway(lastStream: Int32.max)
            // The answer to the PING shows that the client has read the GOAWAY.
            stream.connection.send(ServerFrame.ping([1, 2, 3, 4, 5, 6, 7, 8]))
            await server.waitForFrame { $0.kind == .ping && $0.isAcknowledgement }
            try await session.get(server.url("/")).validate()
            stream.connection.goAway(lastStream: stream.id)
            release.open()
            let response = try await held
            #expect(try response.string() == "hi")
            #expect(server.requests.map(\.connection) == [1, 2])
            await server.waitForOpenConnections(1)
        }
    }

    /// Whether the client has read the GOAWAY or not, no POST is lost or sent twice.
    @Test(arguments: Wire.allCases)
    func usesAnotherConnectionAfterAGOAWAYInIdleness(wire: Wire) async throws {
        try await wire.withHTTP2(responder: HTTP2Server.echo) { server, session in
            for number in 1...20 {
                let response = try await session.post(server.url("/"), body: .string("\(number)"))
                #expect(try response.string() == "\(number)")
                let connection = try #require(server.connections.last)
                connection.goAway()
                await connection.settle()
            }
            #expect(server.requests.map(\.connection) == Array(1...20))
        }
    }

    @Test(arguments: Wire.allCases)
    func namesTheCodeOfAGOAWAY(wire: Wire) async throws {
        try await wire.withHTTP2(responder: { _ in }) { server, session in
            let message = try RequestMessage(server.url("/held"), method: .post, body: .string("x"))
            let task = Form.direct.start(message, on: session)
            let connection = try await server.stream(for: "/held").connection
            // The last frame that the client sends by itself. Later bytes would make the close a reset.
            await server.waitForFrame { $0.kind == .settings && $0.isAcknowledgement }
            connection.goAway(.enhanceYourCalm, "too fast")
            await connection.close()
            let error = await task.value.error
            #expect(error?.code == .connectionClosed)
            #expect(error?.phase == .receive)
            #expect(error?.description.contains("ENHANCE_YOUR_CALM") == true)
            #expect(error?.description.contains("too fast") == true)
            #expect(server.requests.count == 1)
        }
    }

    // MARK: Closed connections

    /// Closes its connection before the response to `/dies`, but not on the second connection.
    private static let dying: HTTP2Server.Responder = { stream in
        guard stream.request.connection == 1, stream.request.path == "/dies" else {
            let body = await stream.body()
            return await stream.respond("back \(body.count)")
        }
        if stream.request.method != "GET" { await stream.waitForBytes(1) }
        await stream.connection.close()
    }

    @Test(arguments: Wire.allCases)
    func resendsAGETWhenAReusedConnectionDies(wire: Wire) async throws {
        try await wire.withHTTP2(responder: Self.dying) { server, session in
            try await session.get(server.url("/")).validate()
            let response = try await session.get(server.url("/dies"))
            #expect(try response.string() == "back 0")
            #expect(response.metrics.exchanges.map(\.resendCount) == [1])
            #expect(server.requests.map(\.path) == ["/", "/dies", "/dies"])
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test(arguments: Wire.allCases, [5, 300_000])
    func resendsAPUTWithItsWholeBody(wire: Wire, size: Int) async throws {
        for body in Self.bodies(of: Data(TestServer.pattern(count: size))) {
            try await wire.withHTTP2(responder: Self.dying) { server, session in
                try await session.get(server.url("/")).validate()
                let response = try await session.put(server.url("/dies"), body: body)
                #expect(try response.string() == "back \(size)")
                #expect(server.acceptedConnections == 2)
            }
        }
    }

    @Test(arguments: Wire.allCases)
    func doesNotResendAPOSTThatWasSent(wire: Wire) async throws {
        try await wire.withHTTP2(responder: Self.dying) { server, session in
            try await session.get(server.url("/")).validate()
            let error = await #expect(throws: ApusError.self) {
                try await session.post(server.url("/dies"), body: .string("once"))
            }
            #expect(error?.code == .connectionClosed)
            #expect(server.requests.map(\.path) == ["/", "/dies"])
            #expect(server.acceptedConnections == 1)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test(arguments: Wire.allCases)
    func doesNotResendOnANewConnectionThatCloses(wire: Wire) async throws {
        try await wire.withHTTP2(responder: Self.dying) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/dies")) }
            #expect(error?.code == .connectionClosed)
            #expect(server.requests.count == 1)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func doesNotResendAfterTheHead(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                guard stream.request.path == "/dies" else { return await stream.respond() }
                stream.head(200, [("content-length", "5")])
                await stream.send("he")
                await stream.connection.close()
            }
        ) { server, session in
            try await session.get(server.url("/")).validate()
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/dies")) }
            #expect(error?.code == .connectionClosed)
            #expect(server.requests.count == 2)
            #expect(server.acceptedConnections == 1)
        }
    }

    /// The server has closed the connection when a POST begins. Whether the client knows that or finds it out before it
    /// writes, the POST arrives once.
    @Test(arguments: Wire.allCases)
    func findsADeadConnectionBeforeAPOSTIsSent(wire: Wire) async throws {
        try await wire.withHTTP2(responder: HTTP2Server.echo) { server, session in
            for number in 1...20 {
                let response = try await session.post(server.url("/"), body: .string("\(number)"))
                #expect(try response.string() == "\(number)")
                let connection = try #require(server.connections.last)
                // The last frame that the client sends by itself. Later bytes would make the close a reset.
                await server.waitForFrame { $0.connection == number && $0.kind == .ping }
                await connection.close()
            }
            #expect(server.requests.map(\.connection) == Array(1...20))
            #expect(server.acceptedConnections == 20)
        }
    }
}
