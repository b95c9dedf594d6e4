internal import HTTPTypes
internal import Testing

@testable internal import ApusCoding
@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestCompressionMiddlewareTests {
    /// Sends a POST through the link and the redirect middleware, and returns the requests that arrived.
    private func sent(
        _ content: [UInt8],
        fields: HTTPFields = [:],
        options: RequestOptions,
        outside: [Chain.Link] = [],
        inside: [Chain.Link] = [],
        status: Int = 200
    ) async throws -> [Arrival] {
        let links = [
            Chain.Link(RequestCompressionMiddleware()), Chain.Link(RedirectMiddleware(policy: .follow)),
        ]
        return try await arrivals(
            .chunk(BodyChunk(content)),
            fields: fields,
            options: options,
            through: outside + links + inside,
            status: status
        )
    }

    @Test(arguments: [1024, 16 << 10, 16 << 10 | 1])
    func compressesTheBodyOfARequestWithTheOption(size: Int) async throws {
        let content = Coded.text(size)
        let arrivals = try await sent(content, options: [RequestCompression.gzip])
        #expect(arrivals.map(\.fields) == [[.contentEncoding: "gzip"]])
        #expect((arrivals[0].length != nil) == (size <= 16 << 10))
        #expect(try inflate(arrivals[0].pieces, .gzip) == content)
    }

    @Test func leavesOtherRequestsAlone() async throws {
        let content = Coded.text(5000)
        for options in [.none, [RequestCompression.off]] as [RequestOptions] {
            let arrivals = try await sent(content, options: options)
            #expect(arrivals.map(\.fields) == [[:]])
            #expect(arrivals[0].length == 5000)
        }
        #expect(try await sent(Coded.text(1023), options: [RequestCompression.gzip])[0].fields == [:])
    }

    @Test func rejectsCodedBodies() async throws {
        let error = await #expect(throws: ApusError.self) {
            try await sent(
                Coded.text(2000),
                fields: [.contentEncoding: "br"],
                options: [RequestCompression.gzip]
            )
        }
        #expect(error?.code == .invalidField)
    }

    @Test func compressesOnceBesideCompressors() async throws {
        let content = Coded.text(5000)
        let compressor = [Chain.Link(RequestCompressor(.gzip))]
        let options: RequestOptions = [RequestCompression.deflate]
        for arrivals in [
            try await sent(content, options: options, outside: compressor),
            try await sent(content, options: options, inside: compressor),
        ] {
            #expect(arrivals.map(\.fields) == [[.contentEncoding: "deflate"]])
            #expect(try inflate(arrivals[0].pieces, .zlib) == content)
        }
    }

    @Test(arguments: [307, 303])
    func sendsTheCompressedBodyAgain(status: Int) async throws {
        let content = Coded.text(50_000)
        let arrivals = try await sent(content, options: [RequestCompression.gzip], status: status)
        #expect(arrivals.count == 2)
        #expect(arrivals[0].fields == [.contentEncoding: "gzip"])
        let again: HTTPFields = status == 307 ? [.contentEncoding: "gzip"] : [:]
        #expect(arrivals[1].fields == again)
        #expect(try inflate(arrivals[0].pieces, .gzip) == content)
        #expect(arrivals[1].pieces == (status == 307 ? arrivals[0].pieces : []))
    }
}
