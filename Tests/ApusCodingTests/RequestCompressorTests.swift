internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCoding
@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestCompressorTests {
    /// Sends a POST through the compressor and the redirect middleware, and returns the requests that arrived.
    private func sent(
        _ body: RequestBody,
        fields: HTTPFields = [.contentType: "a/b"],
        compression: RequestCompression = .gzip,
        options: RequestOptions = .none,
        status: Int = 200
    ) async throws -> [Arrival] {
        try await arrivals(
            body,
            fields: fields,
            options: options,
            through: [Chain.Link(RequestCompressor(compression)), Chain.Link(RedirectMiddleware(policy: .follow))],
            status: status
        )
    }

    @Test(arguments: [1024, 16 << 10, 16 << 10 | 1, 1 << 20, 1 << 20 | 1])
    func knowsTheLengthOfBodiesInMemoryUpToAMebibyte(size: Int) async throws {
        let content = Coded.text(size)
        let arrivals = try await sent(.chunk(BodyChunk(content)))
        #expect(arrivals.count == 1)
        #expect(arrivals[0].fields == [.contentType: "a/b", .contentEncoding: "gzip"])
        #expect((arrivals[0].length != nil) == (size <= 1 << 20))
        #expect(try inflate(arrivals[0].pieces, .gzip) == content)
    }

    @Test func leavesARequestWithoutABodyAlone() async throws {
        let arrivals = try await sent(.none)
        #expect(arrivals.map(\.fields) == [[.contentType: "a/b"]])
        #expect(arrivals[0].pieces == [])
    }

    /// Parity: AF-deflate-uploads
    @Test func respectsTheOptionOfARequest() async throws {
        let body = RequestBody.chunk(BodyChunk(Coded.text(50_000)))
        #expect(try await sent(body, options: [RequestCompression.off])[0].fields[.contentEncoding] == nil)
        let deflated = try await sent(body, options: [RequestCompression.deflate])
        #expect(deflated[0].fields[.contentEncoding] == "deflate")
        #expect(try inflate(deflated[0].pieces, .zlib) == Coded.text(50_000))
        #expect(try await sent(body, compression: .off)[0].fields[.contentEncoding] == nil)
        let enabled = try await sent(body, compression: .off, options: [RequestCompression.gzip])
        #expect(enabled[0].fields[.contentEncoding] == "gzip")
    }

    /// Parity: AF-deflate-should
    @Test func callsThePredicateOnce() async throws {
        for size in [100, 50_000, 2 << 20] {
            let calls = Tally()
            let compression = RequestCompression(minimumBytes: 0) { _ in
                calls.add(1)
                return size == 50_000
            }
            let arrivals = try await sent(.chunk(BodyChunk(Coded.text(size))), compression: compression)
            #expect(calls.sum == 1)
            #expect(arrivals[0].fields.contains(.contentEncoding) == (size == 50_000))
        }
    }

    /// Parity: AF-deflate-duplicate-error
    @Test func rejectsCodedBodies() async throws {
        for size in [2000, 50_000, 2 << 20] {
            let error = await #expect(throws: ApusError.self) {
                try await sent(.chunk(BodyChunk(Coded.text(size))), fields: [.contentEncoding: "br"])
            }
            #expect(error?.code == .invalidField)
        }
    }

    // MARK: Redirects

    private static let content = Coded.text(50_000)

    private static let bodies: [RequestBody] = [
        .chunk(BodyChunk(content)),
        .replayable {
            AsyncStream(BodyChunk.self) {
                $0.yield(BodyChunk(content))
                $0.finish()
            }
        },
    ]

    @Test(arguments: [307, 308], 0..<2)
    func resendsTheCompressedBody(status: Int, body: Int) async throws {
        let arrivals = try await sent(Self.bodies[body], status: status)
        #expect(arrivals.count == 2)
        #expect(arrivals[0].pieces == arrivals[1].pieces)
        for arrival in arrivals {
            #expect(arrival.method == .post)
            #expect(arrival.fields == [.contentType: "a/b", .contentEncoding: "gzip"])
            #expect(try inflate(arrival.pieces, .gzip) == Self.content)
        }
    }

    @Test(arguments: [301, 302, 303], 0..<2)
    func dropsTheCodingWithTheBody(status: Int, body: Int) async throws {
        let arrivals = try await sent(Self.bodies[body], fields: [.contentType: "a/b", .from: "me"], status: status)
        #expect(arrivals.map(\.method) == [.post, .get])
        #expect(arrivals[0].fields[.contentEncoding] == "gzip")
        #expect(arrivals[1].fields == [.from: "me"])
        #expect(arrivals[1].pieces == [])
    }

    @Test func doesNotResendABodyThatCanBeReadOnlyOnce() async throws {
        let stream = AsyncStream(BodyChunk.self) {
            $0.yield(BodyChunk(Self.content))
            $0.finish()
        }
        let error = await #expect(throws: ApusError.self) { try await sent(.once(stream), status: 307) }
        #expect(error?.code == .bodyNotReplayable)
        #expect(error?.detail.contains("redirect") == true)
    }
}
