import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Compressed request bodies of every kind arrive, and the server decodes them to the original bytes.
@Suite struct RequestCompressionTests {
    private struct Echo: Decodable {
        let method: String
        let data: String
        let headers: [String: String]
    }

    private static let text = (0..<40_000).map { "line \($0 &* 7919 % 1009)\n" }.joined()

    private static func stream() -> AsyncStream<BodyChunk> {
        AsyncStream { stream in
            var remainder = Data(text.utf8)
            while !remainder.isEmpty {
                stream.yield(BodyChunk(remainder.prefix(10_007)))
                remainder = remainder.dropFirst(10_007)
            }
            stream.finish()
        }
    }

    /// Parity: AF-deflate
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [RequestCompression.Coding.gzip, .deflate])
    func arrives(wire: Wire, coding: RequestCompression.Coding) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "apus-\(UInt64.random(in: 0 ... .max))")
        try Data(Self.text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await wire.with {
            $0.middleware = [RequestCompressor(RequestCompression(coding))]
        } _: { server, session in
            for (body, hasLength) in [
                (.string(Self.text), true), (.string(String(Self.text.prefix(5000))), true), (try .file(file), false),
                (.replayable { Self.stream() }, false), (.once(Self.stream()), false),
            ] as [(RequestBody, Bool)] {
                let length = body.length.map { Int($0) } ?? Self.text.utf8.count
                let echo = try await session.post(server.url("/anything"), body: body).validate().decode(Echo.self)
                #expect(echo.data == Self.text.prefix(length))
                #expect(echo.headers["Content-Encoding"] == coding.rawValue)
                #expect((echo.headers["Content-Length"] != nil) == hasLength)
                #expect((echo.headers["Transfer-Encoding"] == "chunked") == !hasLength)
            }
        }
    }

    /// A session without a compressor compresses the requests that ask for it.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func arrivesForASingleRequest(wire: Wire) async throws {
        let adapter = Adapter.synchronous { request, _ in request.options[RequestCompression.self] = .deflate }
        try await wire.with { server, session in
            let url = server.url("/anything")
            let body = RequestBody.string(Self.text)
            let options: RequestOptions = [RequestCompression.gzip]
            let own = try await session.post(url, body: body, options: options).validate().decode(Echo.self)
            #expect(own.data == Self.text && own.headers["Content-Encoding"] == "gzip")
            let adapted = try await session.request(url, method: .post, body: body).adapt(using: adapter)
                .serializingDecodable(Echo.self).value
            #expect(adapted.data == Self.text && adapted.headers["Content-Encoding"] == "deflate")
            let plain = try await session.post(url, body: body).validate().decode(Echo.self)
            #expect(plain.data == Self.text && plain.headers["Content-Encoding"] == nil)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [(307, "POST"), (303, "GET")])
    func followsARedirect(status: Int, method: String) async throws {
        try await Wire.plain.with {
            $0.middleware = [RequestCompressor()]
        } _: { server, session in
            let url = server.url("/redirect-to?url=/anything&status_code=\(status)")
            for body in [RequestBody.string(Self.text), .replayable { Self.stream() }] {
                let echo = try await session.post(url, body: body).validate().decode(Echo.self)
                #expect(echo.method == method)
                #expect(echo.data == (method == "POST" ? Self.text : ""))
                #expect(echo.headers["Content-Encoding"] == (method == "POST" ? "gzip" : nil))
            }
        }
    }
}
