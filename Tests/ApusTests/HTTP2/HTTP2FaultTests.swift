import Apus
import ApusEngine
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Faults of a server end in specific errors. One of a stream leaves its connection usable.
@Suite(.timeLimit(.minutes(5))) struct HTTP2FaultTests {
    /// A code with which a server resets a stream.
    struct Reset: Sendable, CustomTestStringConvertible {
        let code: HTTP2ErrorCode
        let testDescription: String
    }

    static let resets: [Reset] = [
        Reset(code: .internalError, testDescription: "INTERNAL_ERROR (0x2)"),
        Reset(code: .cancel, testDescription: "CANCEL (0x8)"),
        Reset(code: .enhanceYourCalm, testDescription: "ENHANCE_YOUR_CALM (0xb)"),
        Reset(code: HTTP2ErrorCode(rawValue: 0x1234), testDescription: "0x1234"),
    ]

    // MARK: Streams

    @Test(arguments: Wire.allCases, resets)
    func namesTheCodeOfAReset(wire: Wire, reset: Reset) async throws {
        let code = reset.code
        try await wire.withHTTP2(
            responder: { stream in
                if stream.request.path == "/" { return await stream.respond() }
                stream.reset(code)
            }
        ) { server, session in
            let url = server.url("/reset")
            let error = await #expect(throws: ApusError.self) { try await session.get(url) }
            #expect(error?.code == .streamReset)
            #expect(error?.phase == .receive)
            #expect(error?.url == url)
            #expect(error?.description.contains(reset.testDescription) == true)
            try await session.get(server.url("/")).validate()
            #expect(server.requests.count == 2)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func endsABodyWithTheErrorOfAReset(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                if stream.request.path == "/" { return await stream.respond() }
                stream.head()
                await stream.send("hello")
                stream.reset(.internalError)
            }
        ) { server, session in
            let response = try await session.stream(server.url("/reset"))
            let error = await #expect(throws: ApusError.self) {
                for try await _ in response.body {}
            }
            #expect(error?.code == .streamReset)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    /// RFC 9113 §7. The request is not sent again by itself, since that would double the number of requests unnoticed.
    @Test(arguments: Wire.allCases)
    func suggestsHTTP1IfTheServerRequiresIt(wire: Wire) async throws {
        try await wire.withHTTP2(responder: { stream in stream.reset(.http11Required) }) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
            #expect(error?.code == .streamReset)
            #expect(error?.description.contains("HTTP_1_1_REQUIRED") == true)
            #expect(error?.hint?.contains("protocols = .http1") == true)
            let response = try await session.get(server.url("/"), options: [HTTPProtocols.http1])
            #expect(try response.string() == "http/1.1")
            #expect(server.requests.map(\.networkProtocol) == ["h2", "http/1.1"])
        }
    }

    /// Responses that break a rule of RFC 9113 §8.
    static let malformed: [String: [(String, String)]] = [
        "no status": [("x-a", "b")],
        "an upper case name": [(":status", "200"), ("X-A", "b")],
        "a field of a connection": [(":status", "200"), ("connection", "close")],
        "a pseudo field of a request": [(":status", "200"), (":path", "/")],
        "a status after a field": [("x-a", "b"), (":status", "200")],
        "a status of two digits": [(":status", "20")],
        "101": [(":status", "101")],
    ]

    @Test(arguments: Wire.allCases, malformed.keys.sorted())
    func rejectsAMalformedHead(wire: Wire, name: String) async throws {
        let lines = try #require(Self.malformed[name])
        try await wire.withHTTP2(
            responder: { stream in
                if stream.request.path == "/" { return await stream.respond() }
                stream.lines(lines, ends: false)
            }
        ) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/malformed")) }
            #expect(error?.code == .malformedResponse)
            let stream = try await server.stream(for: "/malformed")
            #expect(await stream.resetCode() == .protocolError)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases, [4, 6])
    func rejectsABodyOfTheWrongLength(wire: Wire, length: Int) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                if stream.request.path == "/" { return await stream.respond() }
                stream.head(200, [("content-length", String(length))])
                await stream.send("hello", ends: true)
            }
        ) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/wrong")) }
            #expect(error?.code == .malformedResponse)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func rejectsALargeHead(wire: Wire) async throws {
        try await wire.withHTTP2(
            configure: { $0.limits.responseHeadBytes = 2000 },
            responder: { stream in
                let count = stream.request.path == "/large" ? 3000 : 1000
                await stream.respond("hi", [("x-large", String(repeating: "x", count: count))])
            }
        ) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/large")) }
            #expect(error?.code == .responseTooLarge)
            #expect(error?.hint == "raise limits.responseHeadBytes")
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func limitsInformationalResponses(wire: Wire) async throws {
        try await wire.withHTTP2(
            configure: { $0.limits.informationalResponses = 3 },
            responder: { stream in
                for _ in 0..<(stream.request.path == "/" ? 3 : 4) { stream.head(103) }
                await stream.respond()
            }
        ) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/many")) }
            #expect(error?.code == .responseTooLarge)
            #expect(error?.hint == "raise limits.informationalResponses")
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: Connections

    /// Frames that end a connection.
    static let fatal: [String: [UInt8]] = [
        "PUSH_PROMISE": ServerFrame.frame(.pushPromise, flags: FrameFlag.endHeaders, stream: 1, ServerFrame.big(2)),
        "DATA on stream 0": ServerFrame.frame(.data, ServerFrame.big(0)),
        "HEADERS on a stream that was never opened": ServerFrame.headers(101, [(":status", "200")]),
        "an invalid block": ServerFrame.frame(.headers, flags: FrameFlag.endHeaders, stream: 1, ServerFrame.big(.max)),
        "WINDOW_UPDATE by 0": ServerFrame.windowUpdate(0, by: 0),
        "a frame that is too large": [0x10, 0, 0, 0, 0, 0, 0, 0, 1],
    ]

    @Test(arguments: Wire.allCases, fatal.keys.sorted())
    func closesTheConnectionAfterAFault(wire: Wire, name: String) async throws {
        let bytes = try #require(Self.fatal[name])
        try await wire.withHTTP2(
            responder: { stream in
                if stream.request.path == "/" { return await stream.respond() }
                stream.connection.send(bytes)
            }
        ) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/fatal")) }
            #expect(error?.code == .malformedResponse)
            await server.waitForFrame { $0.kind == .goAway && $0.code != .noError }
            await server.waitForOpenConnections(0)
            try await session.get(server.url("/")).validate()
            #expect(server.acceptedConnections == 2)
        }
    }

    /// A response and a fault arrive in one read, while another request is open. That one is sent again.
    @Test(arguments: Wire.allCases)
    func takesAResponseThatPrecedesAFault(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                if stream.request.connection != 1 || stream.request.path == "/" { await stream.respond("again") }
            }
        ) { server, session in
            try await session.get(server.url("/")).validate()
            async let first = session.get(server.url("/first"))
            async let second = session.get(server.url("/second"))
            let stream = try await server.stream(for: "/first")
            _ = try await server.stream(for: "/second")
            stream.connection.send(
                ServerFrame.headers(stream.id, [(":status", "204")], ends: true) + ServerFrame.windowUpdate(0, by: 0)
            )
            let responses = try await [first, second]
            #expect(responses.map(\.statusCode) == [204, 200])
            #expect(responses.last?.data == Data("again".utf8))
            #expect(server.acceptedConnections == 2)
        }
    }
}
