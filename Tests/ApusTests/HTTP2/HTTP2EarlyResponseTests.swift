import Apus
import ApusEngine
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// A server that responds before it has read the whole body ends the upload over HTTP/2, and its response counts. The
/// connection is kept.
@Suite(.timeLimit(.minutes(5))) struct HTTP2EarlyResponseTests {
    private static let data = Data(TestServer.pattern(count: 300_000))
    private static let redirect = [("location", "/there")]
    private static let challenge = [("www-authenticate", "Basic realm=\"r\"")]

    /// Keeps the window of a request that is answered early at its first 65,535 bytes.
    private static let holding = HTTP2Server.Options(holdsWindow: { Self.isEarly($0) })

    private static func isEarly(_ request: HTTP2ServerRequest) -> Bool {
        request.path == "/early" && request["authorization"] == nil
    }

    /// Responds early to the first requests for `/early`, and with the body of the request to all others.
    private static func early(
        _ status: Int,
        _ fields: [(String, String)] = [],
        count: Int = .max
    ) -> HTTP2Server.Responder {
        let seen = Tally()
        return { stream in
            guard Self.isEarly(stream.request), seen.countUp() <= count else { return await HTTP2Server.echo(stream) }
            await stream.waitForBytes(1)
            await stream.respond("early", status: status, fields)
        }
    }

    private static func endless() -> AsyncStream<BodyChunk> {
        let chunk = BodyChunk(Data(count: 16 << 10))
        return AsyncStream<BodyChunk>(unfolding: { chunk })
    }

    @Test(arguments: Wire.allCases, [200, 401, 413])
    func endsTheUpload(wire: Wire, status: Int) async throws {
        let bodies: [RequestBody] = [
            .bytes(Data(count: 4 << 20)), .replayable { Self.endless() }, .once(Self.endless()),
            .once(length: 1 << 30, Self.endless()),
        ]
        try await wire.withHTTP2(Self.holding, responder: Self.early(status)) { server, session in
            for body in bodies {
                let response = try await session.post(server.url("/early"), body: body)
                #expect(response.statusCode == status)
                #expect(try response.string() == "early")
            }
            await server.wait { log in log.frames.filter { $0.kind == .reset }.count == bodies.count }
            #expect(server.frames.filter { $0.kind == .reset }.allSatisfy { $0.code == .cancel })
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    /// The server takes everything until the client resets the stream.
    @Test(arguments: Wire.allCases)
    func endsAnUploadThatTheServerReads(wire: Wire) async throws {
        try await wire.withHTTP2(responder: Self.early(413)) { server, session in
            let response = try await session.post(server.url("/early"), body: .once(Self.endless()))
            #expect(response.statusCode == 413)
            let stream = try await server.stream(for: "/early")
            #expect(await stream.resetCode() == .cancel)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: The body is sent again

    @Test(arguments: Wire.allCases)
    func sendsTheWholeBodyAgainAfterARedirect(wire: Wire) async throws {
        try await wire.withHTTP2(Self.holding, responder: Self.early(307, Self.redirect)) { server, session in
            let response = try await session.post(server.url("/early"), body: .bytes(Self.data))
            #expect(response.statusCode == 200)
            #expect(response.data == Self.data)
            #expect(server.requests.map(\.path) == ["/early", "/there"])
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func sendsTheWholeBodyAgainAfterAChallenge(wire: Wire) async throws {
        try await wire.withHTTP2(Self.holding, responder: Self.early(401, Self.challenge)) { server, session in
            let request = session.request(server.url("/early"), method: .post, body: .bytes(Self.data))
                .authenticate(username: "ada", password: "secret")
            let text = try await request.validate().serializingData().value
            #expect(text == Self.data)
            #expect(request.metrics.exchanges.map(\.cause) == [.first, .challenge])
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func sendsTheWholeBodyAgainForARetry(wire: Wire) async throws {
        try await wire.withHTTP2(responder: Self.early(503, count: 1)) { server, session in
            let body = RequestBody.replayable(length: Int64(Self.data.count)) {
                AsyncStream<BodyChunk> { stream in
                    stream.yield(BodyChunk(Self.data))
                    stream.finish()
                }
            }
            let request = session.request(server.url("/early"), method: .put, body: body)
                .interceptor(RetryPolicy(retryLimit: 1, scale: .zero))
            let text = try await request.validate().serializingData().value
            #expect(text == Self.data)
            #expect(request.retryCount == 1)
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: The body can't be sent again

    /// Parity: AF-fault-stream-again
    @Test(arguments: Wire.allCases)
    func namesTheReason(wire: Wire) async throws {
        let cases: [(status: Int, fields: [(String, String)], reason: String)] = [
            (307, Self.redirect, "the redirect to "), (401, Self.challenge, "the challenge of "),
            (503, [], "the retry "),
        ]
        for (status, fields, reason) in cases {
            try await wire.withHTTP2(Self.holding, responder: Self.early(status, fields)) { server, session in
                let request = session.request(server.url("/early"), method: .put, body: .once(Self.endless()))
                    .authenticate(username: "ada", password: "secret")
                    .retry(using: Retrier(reconsidering: { $0.retryCount == 0 ? .retry : .doNotRetry }))
                let error = await request.serializingData().response.error
                #expect(error?.code == .bodyNotReplayable)
                #expect(error?.detail.contains(reason) == true)
                #expect(error?.detail.contains("needs the body again, but it can be read only once") == true)
                #expect(server.requests.count == 1)
            }
        }
    }
}
