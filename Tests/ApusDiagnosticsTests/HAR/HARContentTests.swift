internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore
@testable internal import ApusDiagnostics

/// The bodies in an archive, recorded during their transfer.
@Suite(.timeLimit(.minutes(5))) struct HARContentTests {
    private func entry(
        _ body: RequestBody = .none,
        type: String? = nil,
        limit: Int = 64 << 10,
        includesSecrets: Bool = false,
        answering response: MockResponse = MockResponse()
    ) async throws -> HTTPArchive.Entry {
        var limits = HARLimits()
        limits.contentBytes = limit
        let recorder = HARRecorder(limits: limits, includesSecrets: includesSecrets)
        let transport = ReadingTransport(response)
        var configuration = Session.Configuration()
        configuration.recorder = recorder
        let session = Session(configuration: configuration, transport: transport)
        var fields: HTTPFields = [:]
        fields[.contentType] = type
        _ = try await session.post("http://h/", fields: RequestFields(fields), body: body)
        try await assertNothingLeft(session)
        return try #require(recorder.archive.entries.first)
    }

    /// Reads the body of a request, twice if it is replayable, like a transport that resends it.
    private struct ReadingTransport: Transport {
        let response: MockResponse
        let mock: MockTransport

        init(_ response: MockResponse) {
            self.response = response
            mock = MockTransport { _ in response }
        }

        var capabilities: TransportCapabilities { mock.capabilities }

        func send(
            _ request: consuming RequestMessage,
            context: RequestContext,
            record: ExchangeRecord
        ) async throws -> ResponseMessage {
            for _ in 0..<(request.body.isReadOnce ? 1 : 2) {
                let reader = try await request.body.open()
                while let chunk = try await reader.next() { #expect(!chunk.isEmpty) }
            }
            return try await mock.send(request, context: context, record: record)
        }
    }

    private static let pieces = [BodyChunk("one "), BodyChunk("two")]

    private static func stream() -> AsyncStream<BodyChunk> {
        AsyncStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
    }

    @Test func recordsEveryKindOfRequestBody() async throws {
        for body in [.string("one two"), .replayable { Self.stream() }, RequestBody.once(Self.stream())] {
            let entry = try await entry(body, type: "text/plain")
            #expect(entry.request.postData?.text == "one two")
            #expect(entry.request.postData?.mimeType == "text/plain")
            #expect(entry.request.postData?.comment == nil)
        }
        try await inFolder { folder in
            let file = folder.appending(path: "notes.txt")
            try makeFile(file, "0123456789")
            let entry = try await entry(.file(file, range: 2..<6), type: "text/plain")
            #expect(entry.request.postData?.text == "2345")
            #expect(entry.request.headers.last == HTTPArchive.Pair(name: "Content-Length", value: "4"))
        }
        #expect(try await entry().request.postData == nil)
    }

    @Test func keepsThePropertiesOfABody() async throws {
        let recording = try recording()
        let once = RequestBody.once(length: 7, Self.stream())
        let watched = recording.watching(once)
        #expect(watched.isReadOnce && watched.length == 7 && once.isReplayable)
        _ = try await watched.open()
        #expect(!once.isReplayable && !watched.isReplayable)
        await #expect(throws: ApusError.self) { _ = try await watched.open() }
        // The body has one reader only.
        await #expect(throws: ApusError.self) {
            let reader = try await recording.watching(once).open()
            _ = try await reader.next()
        }
        let replayable = recording.watching(.replayable(length: 7) { Self.stream() })
        #expect(replayable.isReplayable && replayable.length == 7)
        #expect(recording.watching(.none).isNone)
    }

    private func recording() throws -> HARRecording {
        let request = try RequestMessage("http://h/")
        let context = RequestContext(environment: SessionEnvironment(configuration: SessionConfiguration()))
        let record = context.openRecord(for: request, cause: .first)
        return HARRecording(request, context, record, contentBytes: 10)
    }

    @Test(arguments: [0, 1, 6, 7, 8])
    func truncatesBodies(limit: Int) async throws {
        let response = MockResponse(fields: [.contentType: "text/plain"], chunks: Self.pieces)
        let entry = try await entry(.string("one two"), type: "text/plain", limit: limit, answering: response)
        let wanted = limit == 0 ? nil : String("one two".prefix(limit))
        #expect(entry.request.postData?.text == wanted)
        #expect(entry.response.content.text == wanted)
        #expect(entry.response.content.size == 7)
        let comment = limit >= 7 ? nil : "cut off after \(limit) of 7 bytes"
        #expect(entry.request.postData?.comment == comment)
        #expect(entry.response.content.comment == comment)
    }

    @Test func truncatesAtCharacterBoundaries() async throws {
        let entry = try await entry(limit: 4, answering: MockResponse(body: "aüöä"))
        #expect(entry.response.content.text == "aü")
        #expect(entry.response.content.size == 7)
    }

    @Test(
        arguments: [
            ("text/plain; charset=latin1", [0x66, 0xFC, 0x72], "für"), ("text/plain", [0x66, 0xC3, 0xBC], "fü"),
            ("", [0x61, 0x62], "ab"), ("text/plain; charset=utf-16le", [0x61, 0, 0x62, 0], "ab"),
            ("text/plain", [0xEF, 0xBB, 0xBF, 0x61], "a"), ("text/plain; charset=unheard-of", [0x61], "a"),
            ("text/plain; charset=gbk", [0xC4, 0xE3], "你"), ("text/plain; charset=koi8-r", [0xD0], "п"),
        ] as [(String, [UInt8], String)]
    )
    func readsTextByItsCharset(type: String, bytes: [UInt8], text: String) async throws {
        let fields: HTTPFields = type.isEmpty ? [:] : [.contentType: type]
        let response = MockResponse(fields: fields, chunks: [BodyChunk(bytes)])
        let content = try await entry(answering: response).response.content
        #expect(content.text == text)
        #expect(content.encoding == nil)
        #expect(content.mimeType == type)
    }

    @Test func omitsBinaryBodiesUnlessSecretsAreIncluded() async throws {
        let bytes: [UInt8] = [0x89, 0x50, 0, 0xFF]
        let response = MockResponse(fields: [.contentType: "image/png"], chunks: [BodyChunk(bytes)])
        let closed = try await entry(.bytes(Data(bytes)), type: "image/png", answering: response)
        #expect(closed.response.content.text == nil && closed.request.postData?.text == nil)
        #expect(closed.response.content.comment?.contains("not text") == true)
        #expect(closed.response.content.size == 4)
        let open = try await entry(.bytes(Data(bytes)), type: "image/png", includesSecrets: true, answering: response)
        #expect(open.response.content.data == Data(bytes))
        #expect(open.request.postData?.encoding == "base64")
    }

    @Test func omitsEncodedBodiesUnlessSecretsAreIncluded() async throws {
        let response = MockResponse(fields: [.contentEncoding: "br"], body: "looks like text")
        let closed = try await entry(answering: response)
        #expect(closed.response.content.text == nil)
        let open = try await entry(includesSecrets: true, answering: response)
        #expect(open.response.content.data == Data("looks like text".utf8))
        #expect(open.response.content.compression == nil)
    }

    @Test func splitsForms() async throws {
        let form = try await entry(.string("a=1+2&b=%C3%BC&c"), type: "application/x-www-form-urlencoded")
        let data = try #require(form.request.postData)
        #expect(data.params.map(\.name) == ["a", "b", "c"])
        #expect(data.params.map(\.value) == ["1 2", "ü", ""])
        #expect(data.text == nil)
    }

    @Test func splitsMultipartBodies() async throws {
        let content = """
            preamble\r\n--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nSea\r\n--x\r\n\
            Content-Disposition: form-data; name="photo"; filename="sea.jpg"\r\nContent-Type: image/jpeg\r\n\r\n\
            \u{1}\u{2}--x\r\n--x\r\nno fields\r\n--x\r\n\r\nno name\r\n--x--\r\n--x\r\n
            """
        let type = "multipart/form-data; boundary=x"
        let data = try #require(try await entry(.string(content), type: type).request.postData)
        #expect(data.params.map(\.name) == ["title", "photo"])
        #expect(data.params[0].value == "Sea")
        #expect(data.params[1].value == nil)
        #expect(data.params[1].fileName == "sea.jpg" && data.params[1].contentType == "image/jpeg")
        for limit in 0...content.utf8.count {
            let cut = try await entry(.string(content), type: type, limit: limit)
            #expect((cut.request.postData?.params.count ?? 0) <= 2)
        }
    }
}
