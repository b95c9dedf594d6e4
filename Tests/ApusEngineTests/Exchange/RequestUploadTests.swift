internal import ApusCore
internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

@Suite struct RequestUploadTests {
    static let bodies: [RequestBody] = [
        .none, .string(""), .string("abc"), .replayable { AsyncStream<BodyChunk> { $0.finish() } },
        .replayable(length: 9) { AsyncStream<BodyChunk> { $0.finish() } },
    ]

    private func upload(_ body: RequestBody, isHTTP2: Bool) throws -> RequestUpload {
        RequestUpload(try RequestMessage("http://h/", method: .post, body: body), isHTTP2: isHTTP2)
    }

    @Test(arguments: [false, true])
    func framesBodies(isHTTP2: Bool) throws {
        let uploads = try Self.bodies.map { try upload($0, isHTTP2: isHTTP2) }
        #expect(uploads.map(\.framing) == [.length(0), .length(0), .length(3), .chunked, .length(9)])
        #expect(uploads.map(\.isSentInPieces) == [false, false, false, true, true])
    }

    /// A short body is sent with the head, unless the client waits for the server before it.
    @Test func waitsWithBodiesOfSeveralWrites() throws {
        let long = RequestBody.string(String(repeating: "x", count: RequestUpload.shortBytes + 1))
        let bodies = Self.bodies + [long, RequestBody.string("abc").withTrailers(["X-A": "b"])]
        let waiting = bodies.map { RequestUpload.mayWait($0, [:]) }
        #expect(waiting == [false, false, false, true, true, true, true])
        let expecting = bodies.map { RequestUpload.mayWait($0, [.expect: "100-continue"]) }
        #expect(expecting == [false, false, true, true, true, true, true])
    }

    /// Only HTTP/2 declares a length. A body that is known to be empty would end the request with its head.
    @Test(
        arguments: [
            (false, [.chunked, .chunked, .chunked, .chunked, .chunked]),
            (true, [.chunked, .chunked, .length(3), .chunked, .length(9)]),
        ] as [(Bool, [RequestFraming])]
    )
    func framesBodiesWithTrailers(isHTTP2: Bool, framings: [RequestFraming]) throws {
        let uploads = try Self.bodies.map { try upload($0.withTrailers(["X-A": "b"]), isHTTP2: isHTTP2) }
        #expect(uploads.map(\.framing) == framings)
        #expect(!uploads.map(\.isSentInPieces).contains(false))
    }

    @Test(arguments: [
        ("close", true), ("Close", true), ("keep-alive, close", true), ("close\t,x", true), (", close", true),
        ("x-closed", false), ("closed, not-close", false), ("keep-alive", false), ("close x", false), ("", false),
    ])
    func comparesTheOptionsOfConnection(value: String, requestsClose: Bool) {
        let fields: HTTPFields = [.connection: value]
        #expect(fields.requestsClose == requestsClose)
    }

    @Test func readsAllLinesOfConnection() {
        var fields: HTTPFields = [:]
        #expect(!fields.requestsClose)
        fields.append(HTTPField(name: .connection, value: "x-closed"))
        #expect(!fields.requestsClose)
        fields.append(HTTPField(name: .connection, value: "close"))
        #expect(fields.requestsClose)
    }
}
