import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Trailer fields follow the body of a request over HTTP/1.1, or the request fails with a specific error.
@Suite(.timeLimit(.minutes(5))) struct RequestTrailerTests {
    private struct Fault: Error {}

    private static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    private static let expecting: RequestFields = [.expect: "100-continue"]

    private static func lines(of request: TestRequest?) -> [String]? {
        request?.trailers.map { "\($0.name): \($0.value)" }
    }

    /// Sends a body whose trailers can't be sent, and then another request.
    private func failure(of body: RequestBody, wire: Wire) async throws -> ApusError? {
        let scripts: [Script] = [[.expectHead, .expectBody], .responding(with: Self.okResponse)]
        return try await wire.with(.scripts(scripts)) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.post(server.url("/"), body: body) }
            try await session.get(server.url("/")).validate()
            await server.waitForRequests(atLeast: 2)
            let failed = try #require(server.requests.first { $0.method == "POST" })
            #expect(!failed.isComplete)
            #expect(server.acceptedConnections == 2)
            return error
        }
    }

    // MARK: Bodies

    @Test(arguments: Wire.allCases)
    func followEveryKindOfBody(wire: Wire) async throws {
        try await withEveryKindOfBody { bodies in
            try await wire.with(.script(.responding(with: Self.okResponse))) { server, session in
                for (body, content) in bodies {
                    let trailed = body.withTrailers { ["X-Length": "\(content.count)", "X-Empty": ""] }
                    let response = try await session.post(
                        server.url("/"),
                        fields: [.trailer: "X-Length"],
                        body: trailed
                    ).validate()
                    let request = try #require(server.requests.last)
                    #expect(request["Transfer-Encoding"] == "chunked")
                    #expect(request["Content-Length"] == nil)
                    #expect(request["Trailer"] == "X-Length")
                    #expect(request.body == Array(content))
                    #expect(Self.lines(of: request) == ["X-Length: \(content.count)", "X-Empty: "])
                    #expect(response.metrics.exchanges.first?.requestBodyBytes == Int64(content.count))
                }
                #expect(server.requestCount == bodies.count)
                #expect(server.acceptedConnections == 1)
            }
        }
    }

    @Test(arguments: [("hello", "5\r\nhello\r\n"), ("", "")])
    func areWrittenAfterTheLastChunk(text: String, chunk: String) async throws {
        let expected = chunk + "0\r\nX-A: b\r\nX-C: d\r\n\r\n"
        let script: Script = [.expectHead, .expectBytes(expected.utf8.count), .send(Self.okResponse), .silence]
        try await Wire.plain.with(.script(script)) { server, session in
            let body = RequestBody.string(text).withTrailers(["X-A": "b", "X-C": "d"])
            try await session.post(server.url("/"), body: body).validate()
            let request = try #require(server.requests.first)
            #expect(request.bodyText == expected)
            #expect(request["Trailer"] == "X-A, X-C")
        }
    }

    @Test func areLeftOutIfThereAreNone() async throws {
        let expected = "5\r\nhello\r\n0\r\n\r\n"
        let script: Script = [.expectHead, .expectBytes(expected.utf8.count), .send(Self.okResponse), .silence]
        try await Wire.plain.with(.script(script)) { server, session in
            try await session.post(server.url("/"), body: .string("hello").withTrailers { [:] }).validate()
            #expect(server.requests.first?.bodyText == expected)
        }
    }

    @Test(arguments: Wire.allCases)
    func areMadeAfterTheLastByteWasRead(wire: Wire) async throws {
        let read = Tally()
        let chunks = AsyncStream<BodyChunk>(unfolding: { read.countUp() <= 100 ? BodyChunk("x") : nil })
        try await wire.with(.script(.responding(with: Self.okResponse))) { server, session in
            let body = RequestBody.once(chunks).withTrailers { ["X-Read": "\(read.value)"] }
            try await session.post(server.url("/"), body: body).validate()
            #expect(server.requests.first?.bodyByteCount == 100)
            #expect(Self.lines(of: server.requests.first) == ["X-Read: 101"])
        }
    }

    @Test(arguments: Wire.allCases)
    func followACompressedBody(wire: Wire) async throws {
        try await wire.with(.script(.responding(with: Self.okResponse))) { server, session in
            let body = RequestBody.string(String(repeating: "swift ", count: 10_000)).withTrailers(["X-A": "b"])
            try await session.post(server.url("/"), body: body, options: [RequestCompression.gzip]).validate()
            let request = try #require(server.requests.first)
            #expect(request["Content-Encoding"] == "gzip")
            #expect(request.bodyByteCount < 10_000)
            #expect(Self.lines(of: request) == ["X-A: b"])
        }
    }

    // MARK: Further requests

    @Test(arguments: Wire.allCases)
    func areMadeAgainForAResend(wire: Wire) async throws {
        let dying: Script = [.expectHead, .send(Self.okResponse), .expectHead, .expectBody, .close]
        let completing: Script = [.expectHead, .expectBody, .send(Self.okResponse), .silence]
        let made = Tally()
        try await wire.with(.scripts([dying, completing])) { server, session in
            try await session.get(server.url("/")).validate()
            let body = RequestBody.string("again").withTrailers { ["X-Count": "\(made.countUp())"] }
            let response = try await session.put(server.url("/"), body: body).validate()
            #expect(response.metrics.exchanges.map(\.resendCount) == [1])
            #expect(server.requests.last?.bodyText == "again")
            #expect(Self.lines(of: server.requests.last) == ["X-Count: 2"])
            #expect(made.value == 2)
        }
    }

    @Test(arguments: Wire.allCases)
    func areMadeAgainForARetry(wire: Wire) async throws {
        let made = Tally()
        try await wire.with(
            .handler { request in
                let isFirst = request.trailers.contains { $0.value == "1" }
                return TestResponse.text("hi", status: isFirst ? 503 : 200)
            },
            configure: { $0.interceptor = RetryPolicy(scale: .zero) }
        ) { server, session in
            let body = RequestBody.string("again").withTrailers { ["X-Count": "\(made.countUp())"] }
            try await session.put(server.url("/"), body: body).validate()
            #expect(server.requests.map(\.bodyText) == ["again", "again"])
            #expect(server.requests.map { Self.lines(of: $0) } == [["X-Count: 1"], ["X-Count: 2"]])
        }
    }

    @Test(arguments: Wire.allCases, [303, 307])
    func followTheBodyOfARedirectedRequest(wire: Wire, status: Int) async throws {
        try await wire.with(
            .handler { request in
                guard request.path == "/old" else { return TestResponse.text("hi") }
                return TestResponse(status: status, fields: [("Location", "/new")])
            }
        ) { server, session in
            let body = RequestBody.string("hello").withTrailers(["X-A": "b"])
            try await session.post(server.url("/old"), body: body).validate()
            #expect(server.requestCount == 2)
            let last = try #require(server.requests.last)
            let isKept = status == 307
            #expect(last.method == (isKept ? "POST" : "GET"))
            #expect(last.bodyText == (isKept ? "hello" : ""))
            #expect(last["Transfer-Encoding"] == (isKept ? "chunked" : nil))
            #expect(last["Trailer"] == (isKept ? "X-A" : nil))
            #expect(Self.lines(of: last) == (isKept ? ["X-A: b"] : []))
        }
    }

    // MARK: Failures

    @Test(arguments: Wire.allCases)
    func failIfTheirClosureThrows(wire: Wire) async throws {
        let body = RequestBody.string("hello").withTrailers { () async throws -> RequestFields in throw Fault() }
        let error = try await failure(of: body, wire: wire)
        #expect(error?.code == .requestBodyFailed)
        #expect(error?.phase == .send)
        #expect(error?.underlying is Fault)
    }

    @Test(
        arguments: Wire.allCases,
        ["Content-Length", "transfer-encoding", "Host", "Trailer", "Content-Type", "Authorization", "Cookie"]
    )
    func failIfAFieldIsOnlyAllowedInAHead(wire: Wire, name: String) async throws {
        let body = RequestBody.string("hello").withTrailers { ["X-A": "b", RequestFieldName(name): "5"] }
        let error = try await failure(of: body, wire: wire)
        #expect(error?.code == .invalidField)
        #expect(error?.detail.lowercased().contains(name.lowercased()) == true)
    }

    @Test func failIfAFieldIsInvalid() async throws {
        for (name, value) in [("a b", "c"), ("X-A", "b\r\nX-C: d")] {
            let body = RequestBody.string("hello").withTrailers { [RequestFieldName(name): value] }
            let error = try await failure(of: body, wire: .plain)
            #expect(error?.code == .invalidField)
        }
    }

    @Test(arguments: Wire.allCases)
    func areNotMadeForABodyOfTheWrongLength(wire: Wire) async throws {
        let made = Tally()
        let body = RequestBody.once(length: 6, AsyncStream.texts("hello")).withTrailers {
            made.countUp()
            return ["X-A": "b"]
        }
        let error = try await failure(of: body, wire: wire)
        #expect(error?.code == .requestBodyFailed)
        #expect(made.value == 0)
    }

    // MARK: Responses before the trailers

    @Test(arguments: Wire.allCases)
    func areNotNeededAfterACompleteResponse(wire: Wire) async throws {
        let release = Gate()
        let early: Script = [
            .expectHead, .expectBytes("5\r\nhello\r\n".utf8.count),
            .send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig"), .silence,
        ]
        try await wire.with(.scripts([early, .responding(with: Self.okResponse)])) { server, session in
            let body = RequestBody.string("hello").withTrailers {
                await release.wait()
                return ["X-A": "b"]
            }
            let response = try await session.post(server.url("/"), body: body)
            #expect(response.status.code == 413)
            #expect(try response.string() == "big")
            release.open()
            #expect(try await session.get(server.url("/")).string() == "hi")
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test(arguments: Wire.allCases)
    func followABodyThatWaitedFor100Continue(wire: Wire) async throws {
        let script: Script = [
            .expectHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .expectBody, .send(Self.okResponse), .silence,
        ]
        try await wire.with(
            .script(script),
            configure: { $0.timeouts.expectContinue = .seconds(40) }
        ) { server, session in
            let body = RequestBody.string("hello").withTrailers(["X-A": "b"])
            try await session.post(server.url("/"), fields: Self.expecting, body: body).validate()
            #expect(server.requests.first?.bodyText == "hello")
            #expect(Self.lines(of: server.requests.first) == ["X-A: b"])
        }
    }

    @Test(arguments: Wire.allCases)
    func areNotMadeForABodyThatIsNotWanted(wire: Wire) async throws {
        let refusing: Script = [
            .expectHead, .send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno"), .silence,
        ]
        let made = Tally()
        try await wire.with(
            .script(refusing),
            configure: { $0.timeouts.expectContinue = .seconds(40) }
        ) { server, session in
            let body = RequestBody.string("hello").withTrailers { ["X-Count": "\(made.countUp())"] }
            let response = try await session.post(server.url("/"), fields: Self.expecting, body: body)
            #expect(response.status.code == 417)
            #expect(made.value == 0)
        }
    }
}
