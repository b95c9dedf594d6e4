import Apus
import ApusEngine
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Trailer fields end a request over HTTP/2, after all of its DATA.
@Suite(.timeLimit(.minutes(5))) struct HTTP2TrailerTests {
    private struct Fault: Error {}

    /// Responds with the trailers of the request, one a line.
    private static let listing: HTTP2Server.Responder = { stream in
        let trailers = await stream.requestTrailers()
        await stream.respond(trailers.joined(separator: "\n"))
    }

    /// Sends a body whose trailers can't be sent, and then another request on the same connection.
    private func failure(of body: RequestBody, wire: Wire) async throws -> ApusError? {
        try await wire.withHTTP2 { server, session in
            let error = await #expect(throws: ApusError.self) {
                try await session.post(server.url("/broken"), body: body)
            }
            let stream = try await server.stream(for: "/broken")
            #expect(await stream.resetCode() == .cancel)
            #expect(!stream.progress.value.isRequestEnded)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
            return error
        }
    }

    // MARK: Bodies

    @Test(arguments: Wire.allCases)
    func followEveryKindOfBody(wire: Wire) async throws {
        try await withEveryKindOfBody { bodies in
            try await wire.withHTTP2(
                responder: { stream in
                    let trailers = await stream.requestTrailers()
                    let body = await stream.body()
                    await stream.respond(bytes: body, [("x-trailers", trailers.joined(separator: "; "))])
                }
            ) { server, session in
                let name = try #require(HTTPField.Name("X-Trailers"))
                for (body, content) in bodies {
                    let trailed = body.withTrailers(["X-Length": "\(content.count)", "x-last": "b"])
                    let response = try await session.post(server.url("/"), body: trailed).validate()
                    #expect(response.data == content)
                    #expect(response.fields[name] == "x-length: \(content.count); x-last: b")
                    #expect(response.metrics.exchanges.first?.requestBodyBytes == Int64(content.count))
                    let request = try #require(server.requests.last)
                    // A known length is sent, except for an empty body.
                    #expect(request["content-length"] == body.length.flatMap { $0 > 0 ? "\($0)" : nil })
                    #expect(request["trailer"] == "X-Length, x-last")
                }
                let heads = server.frames.filter { $0.kind == .headers }
                #expect(heads.map(\.endsStream) == bodies.flatMap { _ in [false, true] })
                #expect(!server.frames.contains { $0.kind == .data && $0.endsStream })
                #expect(server.acceptedConnections == 1)
            }
        }
    }

    @Test(arguments: Wire.allCases)
    func areSentInSeveralFramesIfTheyAreLong(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                let trailers = await stream.requestTrailers()
                await stream.respond("\(trailers.map(\.utf8.count))")
            }
        ) { server, session in
            let long = String(repeating: "~", count: 40_000)
            let body = RequestBody.string("hello").withTrailers { ["X-Long": long, "X-A": "b"] }
            let response = try await session.post(server.url("/"), body: body).validate()
            #expect(try response.string() == "[40008, 6]")
            #expect(server.frames.contains { $0.kind == .continuation })
        }
    }

    @Test(arguments: Wire.allCases)
    func areLeftOutIfThereAreNone(wire: Wire) async throws {
        try await wire.withHTTP2(responder: HTTP2Server.echo) { server, session in
            let body = RequestBody.string("hello").withTrailers { [:] }
            let response = try await session.post(server.url("/"), body: body)
            #expect(try response.string() == "hello")
            #expect(server.frames.filter { $0.kind == .headers }.map(\.endsStream) == [false])
            #expect(server.frames.filter { $0.kind == .data }.last?.endsStream == true)
        }
    }

    @Test(arguments: Wire.allCases)
    func waitForTheWindowOfTheStream(wire: Wire) async throws {
        let data = Data(TestServer.pattern(count: 25_000))
        try await wire.withHTTP2(
            HTTP2Server.Options(settings: [.windowBytes(10_000)], opensWindows: false),
            responder: { stream in
                if stream.request.method == "POST" {
                    await stream.waitForBytes(10_000)
                    #expect(!stream.progress.value.isRequestEnded)
                    stream.openWindow(by: 20_000)
                }
                let trailers = await stream.requestTrailers()
                await stream.respond("\(stream.progress.value.body.count) \(trailers)")
            }
        ) { server, session in
            // The settings of the server are known afterwards.
            try await session.get(server.url("/")).validate()
            let body = RequestBody.bytes(data).withTrailers { ["X-A": "b"] }
            #expect(try await session.post(server.url("/"), body: body).string() == #"25000 ["x-a: b"]"#)
        }
    }

    // MARK: Further requests

    @Test(arguments: Wire.allCases)
    func areMadeAgainForAResend(wire: Wire) async throws {
        let made = Tally()
        let arrived = Tally()
        try await wire.withHTTP2(
            responder: { stream in
                guard arrived.countUp() == 1 else { return await Self.listing(stream) }
                _ = await stream.body()
                stream.reset(.refusedStream)
            }
        ) { server, session in
            let body = RequestBody.string("again").withTrailers { ["X-Count": "\(made.countUp())"] }
            let response = try await session.post(server.url("/"), body: body).validate()
            #expect(try response.string() == "x-count: 2")
            #expect(response.metrics.exchanges.map(\.resendCount) == [1])
            #expect(made.value == 2)
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: Failures

    @Test(arguments: Wire.allCases)
    func failIfTheirClosureThrows(wire: Wire) async throws {
        let body = RequestBody.string("hello").withTrailers { () async throws -> RequestFields in throw Fault() }
        let error = try await failure(of: body, wire: wire)
        #expect(error?.code == .requestBodyFailed)
        #expect(error?.underlying is Fault)
    }

    @Test(arguments: Wire.allCases, ["Content-Length", "te", "Connection", "Authorization"])
    func failIfAFieldIsOnlyAllowedInAHead(wire: Wire, name: String) async throws {
        let body = RequestBody.string("hello").withTrailers { ["X-A": "b", RequestFieldName(name): "5"] }
        let error = try await failure(of: body, wire: wire)
        #expect(error?.code == .invalidField)
        #expect(error?.detail.contains(name) == true)
    }

    // MARK: Responses before the trailers

    @Test(arguments: Wire.allCases)
    func areNotNeededAfterACompleteResponse(wire: Wire) async throws {
        let release = Gate()
        try await wire.withHTTP2(
            responder: { stream in
                guard stream.request.path == "/refused" else { return await stream.respond() }
                await stream.waitForBytes(5)
                await stream.respond("no", status: 413)
            }
        ) { server, session in
            let body = RequestBody.string("hello").withTrailers {
                await release.wait()
                return ["X-A": "b"]
            }
            let response = try await session.post(server.url("/refused"), body: body)
            #expect(response.statusCode == 413)
            #expect(try response.string() == "no")
            release.open()
            let stream = try await server.stream(for: "/refused")
            #expect(await stream.resetCode() == .cancel)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func followABodyThatWaitedFor100Continue(wire: Wire) async throws {
        try await wire.withHTTP2(
            configure: { $0.timeouts.expectContinue = .seconds(40) },
            responder: { stream in
                stream.head(100)
                await Self.listing(stream)
            }
        ) { server, session in
            for text in ["hello", ""] {
                let response = try await session.post(
                    server.url("/"),
                    fields: [.expect: "100-continue"],
                    body: .string(text).withTrailers { ["X-A": "b"] }
                )
                #expect(try response.string() == "x-a: b")
                #expect(server.requests.last?["expect"] == "100-continue")
            }
        }
    }
}
