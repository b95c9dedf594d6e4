import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Requests and responses over HTTP/2 are those of HTTP/1.1, on one connection.
@Suite(.timeLimit(.minutes(5))) struct HTTP2RequestTests {
    // MARK: Requests

    @Test(arguments: Wire.allCases)
    func sendsAGET(wire: Wire) async throws {
        try await wire.withHTTP2 { server, session in
            let response = try await session.get(server.url("/path?a=b"), fields: ["X-Tag": "Blue"])
            #expect(try response.string() == "hi")
            #expect(response.statusCode == 200)
            let request = try #require(server.requests.first)
            #expect(request.method == "GET")
            #expect(request.scheme == (wire == .tls ? "https" : "http"))
            #expect(request.authority == server.authority)
            #expect(request.path == "/path?a=b")
            #expect(request["x-tag"] == "Blue")
            #expect(request["user-agent"] != nil)
            #expect(request["content-length"] == nil)
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func reusesOneConnectionForSuccessiveRequests(wire: Wire) async throws {
        try await wire.withHTTP2 { server, session in
            for _ in 0..<10 { try await session.get(server.url("/")).validate() }
            #expect(server.acceptedConnections == 1)
            let streams: [Int32] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]
            #expect(server.requests.map(\.stream) == streams)
        }
    }

    /// All requests are open at the same time.
    @Test(arguments: Wire.allCases, [20, 500])
    func sendsConcurrentRequestsOnOneConnection(wire: Wire, count: Int) async throws {
        let release = Gate()
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.concurrentStreams(1000)]),
            configure: { $0.requestsInFlight = 1000 },
            responder: { stream in
                if stream.request.path != "/first" { await release.wait() }
                await stream.respond(stream.request.path)
            }
        ) { server, session in
            // The limit of the server is known afterwards.
            try await session.get(server.url("/first")).validate()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    group.addTask {
                        let response = try await session.get(server.url("/\(number)"))
                        #expect(try response.string() == "/\(number)")
                    }
                }
                await server.waitForRequests(atLeast: count + 1)
                release.open()
                try await group.waitForAll()
            }
            #expect(server.acceptedConnections == 1)
            #expect(server.requests.count == count + 1)
        }
    }

    /// One attempt to connect serves all requests that wait for it.
    @Test(arguments: Wire.allCases)
    func connectsOnceForRequestsThatBeginTogether(wire: Wire) async throws {
        try await wire.withHTTP2 { server, session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { try await session.get(server.url("/")).validate() } }
                try await group.waitForAll()
            }
            #expect(server.acceptedConnections == 1)
            #expect(server.requests.count == 50)
        }
    }

    @Test(arguments: Wire.allCases)
    func sendsAHeadOfSeveralFrames(wire: Wire) async throws {
        let value = String(repeating: "0123456789abcdef", count: 4000)
        try await wire.withHTTP2 { server, session in
            try await session.get(server.url("/"), fields: ["X-Large": value]).validate()
            #expect(server.requests.first?["x-large"] == value)
            #expect(server.frames.contains { $0.kind == .continuation })
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases, Form.allCases)
    func servesEachForm(wire: Wire, form: Form) async throws {
        try await wire.withHTTP2 { server, session in
            for _ in 0..<3 {
                let outcome = await form.outcome(of: try RequestMessage(server.url("/")), on: session)
                #expect(try outcome.get() == Data("hi".utf8))
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: Responses

    @Test(arguments: Wire.allCases)
    func receivesAResponseWithoutABody(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                switch stream.request.path {
                case "/head": stream.head(200, [("content-length", "5")], ends: true)
                case "/204": stream.head(204, ends: true)
                default:
                    stream.head()
                    await stream.send("", ends: true)
                }
            }
        ) { server, session in
            let head = try await session.head(server.url("/head"))
            #expect(head.data.isEmpty)
            #expect(head.fields[.contentLength] == "5")
            #expect(try await session.get(server.url("/204")).statusCode == 204)
            #expect(try await session.get(server.url("/empty")).data.isEmpty)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func receivesAHeadOfSeveralFrames(wire: Wire) async throws {
        let value = String(repeating: "0123456789abcdef", count: 3000)
        try await wire.withHTTP2(
            responder: { stream in await stream.respond("hi", [("x-large", value)]) }
        ) { server, session in
            let response = try await session.get(server.url("/"))
            let name = try #require(HTTPField.Name("X-Large"))
            #expect(response.fields[name] == value)
            #expect(try response.string() == "hi")
        }
    }

    /// The parts of the bodies arrive in turn.
    @Test(arguments: Wire.allCases)
    func receivesLongBodiesAtTheSameTime(wire: Wire) async throws {
        let size = 1_500_000
        try await wire.withHTTP2(
            responder: { stream in
                let offset = Int(stream.request.path.dropFirst()) ?? 0
                await stream.respond(bytes: TestServer.pattern(offset: offset, count: size))
            }
        ) { server, session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let response = try await session.get(server.url("/\(number)"))
                        #expect(response.data == Data(TestServer.pattern(offset: number, count: size)))
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func providesTrailersAfterTheEnd(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                stream.head()
                await stream.send("hello")
                stream.trailers([("x-apus", "behind the body")])
            }
        ) { server, session in
            let name = try #require(HTTPField.Name("X-Apus"))
            let response = try await session.stream(server.url("/"))
            var data = Data()
            for try await chunk in response.body { data.append(chunk) }
            #expect(data == Data("hello".utf8))
            #expect(response.body.trailers?[name] == "behind the body")
            #expect(try await session.get(server.url("/")).trailers?[name] == "behind the body")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func recordsInformationalResponses(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                stream.head(103, [("link", "</style.css>; rel=preload; as=style")])
                stream.head(102)
                await stream.respond()
            }
        ) { server, session in
            let response = try await session.get(server.url("/")).validate()
            #expect(try response.string() == "hi")
            let hints = try #require(response.metrics.exchanges.first?.informational)
            #expect(hints.map(\.status.code) == [103, 102])
            let link = try #require(HTTPField.Name("Link"))
            #expect(hints.first?.headerFields[link] == "</style.css>; rel=preload; as=style")
        }
    }

    // MARK: Redirects and cookies

    /// Parity: AF-fault-redirect-http2
    @Test(arguments: Wire.allCases)
    func followsRedirectsOnOneConnection(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                switch stream.request.path {
                case "/first": await stream.respond("gone", status: 302, [("location", "/second")])
                case "/second": await stream.respond(status: 307, [("location", "/third")])
                case "/third" where stream.request.method == "POST":
                    let body = await stream.body()
                    await stream.respond(bytes: body)
                default: await stream.respond("here")
                }
            }
        ) { server, session in
            let echoed = try await session.post(server.url("/second"), body: .string("kept"))
            #expect(try echoed.string() == "kept")
            let response = try await session.get(server.url("/first")).validate()
            #expect(try response.string() == "here")
            let exchanges = response.metrics.exchanges
            #expect(exchanges.map(\.cause) == [.first, .redirect, .redirect])
            #expect(exchanges.map(\.status?.code) == [302, 307, 200])
            #expect(exchanges.map(\.isReused) == [true, true, true])
            #expect(server.requests.map(\.path) == ["/second", "/third", "/first", "/second", "/third"])
            #expect(server.acceptedConnections == 1)
        }
    }

    /// Each cookie is a line of its own, RFC 9113 §8.2.3.
    @Test(arguments: Wire.allCases)
    func sendsAndReceivesCookies(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                let fields = [("set-cookie", "a=1"), ("set-cookie", "c=3; Path=/"), ("set-cookie", "d=4; Path=/other")]
                await stream.respond("hi", stream.request.path == "/first" ? fields : [])
            }
        ) { server, session in
            try await session.get(server.url("/first")).validate()
            try await session.get(server.url("/second")).validate()
            #expect(server.requests.map { $0.values("cookie").sorted() } == [[], ["a=1", "c=3"]])
            #expect(server.acceptedConnections == 1)
        }
    }
}
