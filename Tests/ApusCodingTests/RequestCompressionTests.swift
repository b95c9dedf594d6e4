internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCoding
@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestCompressionTests {
    static let codings: [(RequestCompression.Coding, Inflater.Format)] = [(.gzip, .gzip), (.deflate, .zlib)]

    static let sizes = [1, 1000, RequestCompression.longBytes, RequestCompression.longBytes + 1, 2 << 20]

    private func request(_ body: RequestBody, _ fields: HTTPFields = [:]) throws -> RequestMessage {
        try RequestMessage("http://h/", method: .post, fields: RequestFields(fields), body: body)
    }

    private func decoded(_ body: RequestBody, _ format: Inflater.Format = .gzip) async throws -> [UInt8] {
        try await inflate(body.read(), format)
    }

    private func stream(_ content: [UInt8]) -> AsyncStream<BodyChunk> {
        AsyncStream { stream in
            for piece in content.pieces(of: 10_007) { stream.yield(BodyChunk(piece)) }
            stream.finish()
        }
    }

    /// Parity: AF-deflate
    @Test(arguments: codings, sizes)
    func compressesBytesInMemory(coding: (RequestCompression.Coding, Inflater.Format), size: Int) async throws {
        let content = Coded.text(size)
        let request = try request(.chunk(BodyChunk(content)), [.contentType: "a/b", .contentLength: "\(size)"])
        let compressed = try request.compressed(with: RequestCompression(coding.0, minimumBytes: 1))
        #expect(compressed.fields == [.contentType: "a/b", .contentEncoding: coding.0.rawValue])
        #expect((compressed.body.length != nil) == (size <= RequestCompression.longBytes))
        for _ in 0..<2 {
            #expect(compressed.body.isReplayable)
            #expect(try await decoded(compressed.body, coding.1) == content)
        }
        #expect(size < 1000 || compressed.body.length.map { $0 < size } ?? true)
    }

    /// Parity: AF-deflate-uploads
    @Test(arguments: codings)
    func compressesStreamsAsTheyAreSent(coding: (RequestCompression.Coding, Inflater.Format)) async throws {
        let content = Coded.text(3 << 20)
        for length in [nil, Int64(content.count)] {
            let replayable = try request(.replayable(length: length) { stream(content) })
                .compressed(with: RequestCompression(coding.0))
            #expect(replayable.fields == [.contentEncoding: coding.0.rawValue])
            #expect(replayable.body.length == nil)
            for _ in 0..<2 {
                #expect(replayable.body.isReplayable && !replayable.body.isReadOnce)
                #expect(try await decoded(replayable.body, coding.1) == content)
            }
            let once = try request(.once(length: length, stream(content)))
                .compressed(with: RequestCompression(coding.0))
            #expect(once.body.length == nil)
            #expect(once.body.isReadOnce && once.body.isReplayable)
            #expect(try await decoded(once.body, coding.1) == content)
            #expect(!once.body.isReplayable)
            let error = await #expect(throws: ApusError.self) { try await once.body.read() }
            #expect(error?.code == .bodyNotReplayable)
        }
    }

    /// Parity: AF-deflate-uploads
    @Test func compressesFilesAsTheyAreSent() async throws {
        let content = Coded.text(100_000)
        let file = FileManager.default.temporaryDirectory
            .appending(path: "apus-compression-\(UInt64.random(in: 0 ... .max))")
        try Data(content).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let compressed = try request(.file(file, range: 10..<50_000)).compressed(with: .gzip)
        #expect(compressed.body.length == nil && compressed.body.isReplayable)
        for _ in 0..<2 { #expect(try await decoded(compressed.body) == Array(content[10..<50_000])) }
    }

    @Test(arguments: [1, 5000, 100_000])
    func keepsTrailers(size: Int) async throws {
        let content = Coded.text(size)
        for body in [RequestBody.chunk(BodyChunk(content)), .replayable { stream(content) }] {
            let trailed = body.withTrailers { ["X-A": "b"] }
            let compressed = try request(trailed).compressed(with: RequestCompression(minimumBytes: 0))
            #expect(try await decoded(compressed.body) == content)
            #expect(try await compressed.body.trailers()?.map(\.value) == ["b"])
        }
    }

    // MARK: Uncompressed bodies

    static let bodies: [(RequestBody, Int, Bool)] = [
        (.none, 0, false), (.string(""), 0, false), (.string("x"), 0, true), (.string("x"), 1, true),
        (.string("x"), 2, false), (.string("x"), 1024, false), (.bytes(Data(count: 1023)), 1024, false),
        (.bytes(Data(count: 1024)), 1024, true), (.replayable(length: 0) { AsyncStream { nil } }, 0, false),
        (.replayable(length: 1023) { AsyncStream { nil } }, 1024, false),
        (.replayable(length: 1024) { AsyncStream { nil } }, 1024, true),
        (.replayable { AsyncStream { nil } }, 1024, true), (.once(length: 5, AsyncStream { nil }), 6, false),
        (.once(AsyncStream { nil }), .max, true), (.string("x"), -1, true),
    ]

    /// Parity: AF-deflate-always
    @Test(arguments: bodies)
    func leavesShortBodiesUncompressed(body: RequestBody, minimum: Int, compresses: Bool) throws {
        let request = try request(body, [.contentLength: "7"])
        let compressed = try request.compressed(with: RequestCompression(minimumBytes: minimum))
        #expect(compressed.fields == (compresses ? [.contentEncoding: "gzip"] : [.contentLength: "7"]))
        #expect(compresses || compressed.body.length == body.length)
        #expect(body.isNone == compressed.body.isNone)
    }

    /// Parity: AF-deflate-always
    @Test func compressesBodiesOf1024BytesOrMore() throws {
        #expect(try request(.bytes(Data(count: 1023))).compressed(with: .gzip).fields.isEmpty)
        #expect(
            try request(.bytes(Data(count: 1024))).compressed(with: .deflate).fields == [.contentEncoding: "deflate"]
        )
    }

    /// Parity: AF-deflate-should
    @Test func compressesIfThePredicateAllows() throws {
        let compression = RequestCompression { $0.target.path == "/" && $0.fields[.contentType] == "a/b" }
        let content = RequestBody.bytes(Data(count: 5000))
        #expect(try request(content).compressed(with: compression).fields.isEmpty)
        let wanted = try request(content, [.contentType: "a/b"]).compressed(with: compression)
        #expect(wanted.fields[.contentEncoding] == "gzip")
        #expect(try request(content).compressed(with: .off).fields.isEmpty)
    }

    // MARK: Coded bodies

    /// Parity: AF-deflate-duplicate-error, AF-deflate-duplicate-replace, AF-deflate-duplicate-skip
    @Test(arguments: ["br", "gzip", "identity", ""])
    func appliesThePolicyForCodedBodies(coding: String) async throws {
        let content = Coded.text(5000)
        let request = try request(.chunk(BodyChunk(content)), [.contentEncoding: coding])
        let error = #expect(throws: ApusError.self) { try request.compressed(with: .gzip) }
        #expect(error?.code == .invalidField)
        #expect(error?.detail.contains("'\(coding)'") == true)
        let replaced = try request.compressed(with: RequestCompression(.deflate, duplicateField: .replace))
        #expect(replaced.fields == [.contentEncoding: "deflate"])
        #expect(try await decoded(replaced.body, .zlib) == content)
        let skipped = try request.compressed(with: RequestCompression(duplicateField: .skip))
        #expect(skipped.fields == [.contentEncoding: coding])
        #expect(try await skipped.body.read() == [content])
    }

    @Test func allowsAContentEncodingIfNothingIsCompressed() throws {
        for body in [RequestBody.none, .string("short")] {
            let request = try request(body, [.contentEncoding: "br"])
            #expect(try request.compressed(with: .gzip).fields == [.contentEncoding: "br"])
            #expect(try request.compressed(with: .off).fields == [.contentEncoding: "br"])
        }
    }

    @Test func compressesInPlaceAndNotTwice() throws {
        var request = try request(.bytes(Data(count: 5000)))
        try request.compress(with: .gzip)
        #expect(request.fields[.contentEncoding] == "gzip")
        let length = request.body.length
        try request.compress(with: RequestCompression(duplicateField: .skip, minimumBytes: 0))
        #expect(request.body.length == length)
        #expect(throws: ApusError.self) { try request.compress(with: RequestCompression(minimumBytes: 0)) }
    }

    @Test(arguments: [(-5, 0), (0, 0), (9, 9), (10, 9), (.max, 9)])
    func clampsTheLevel(level: Int, nearest: Int) async throws {
        let request = try request(.chunk(BodyChunk(Coded.text(10_000))))
        let compressed = try request.compressed(with: RequestCompression(level: level))
        #expect(
            compressed.body.length == (try request.compressed(with: RequestCompression(level: nearest)).body.length)
        )
        #expect(try await decoded(compressed.body) == Coded.text(10_000))
    }
}

extension RequestBody {
    /// Reads to the end.
    func read() async throws -> [[UInt8]] { try await open().read() }
}
