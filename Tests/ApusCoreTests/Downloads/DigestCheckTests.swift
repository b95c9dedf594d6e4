internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Downloads whose digest is expected by the request, or declared by the response.
@Suite(.timeLimit(.minutes(5))) struct DigestCheckTests {
    private static let served = ServedFile()

    private static func digest(of text: String) -> [UInt8] {
        var stream = DigestStream(.sha256)
        stream.update(BodyChunk(text))
        return stream.finish()
    }

    private static func expectation(of text: String) throws -> ExpectedDigest {
        let bytes = digest(of: text)
        let expected = try #require(ContentDigest(.sha256, bytes: bytes))
        return try ExpectedDigest.sha256(expected.hexadecimal)
    }

    private static func fields(_ text: String) -> HTTPFields {
        [.eTag: "\"1\"", .reprDigest: "sha-256=:\(Data(digest(of: text)).base64EncodedString()):"]
    }

    enum Source: CaseIterable { case option, field }

    /// Downloads the file with a digest. Before that, an earlier download may have left its part.
    private func refusal(
        from source: Source,
        of text: String,
        isResumed: Bool,
        in folder: URL
    ) async throws -> ApusError? {
        let file = folder.appending(path: "file")
        if isResumed { try await Self.served.leavePart(of: file) }
        let served = source == .field ? ServedFile(fields: Self.fields(text)) : Self.served
        var options = RequestOptions.none
        if source == .option { options = [try Self.expectation(of: text)] }
        let test = TestSession { served.response(to: $0) }
        let destination = DownloadDestination.file(file, options: .resumePartialFile)
        let request = test.session.download("http://h/a", to: destination, options: options)
        let response = await request.serializingURL().response
        #expect(test.values(of: .range) == [isResumed ? "bytes=20-" : nil])
        #expect(request.resumeData == nil)
        try await assertNothingLeft(test.session)
        return response.error
    }

    @Test(arguments: Source.allCases, [false, true])
    func acceptsTheRightDigest(source: Source, isResumed: Bool) async throws {
        try await inFolder { folder in
            let error = try await refusal(from: source, of: ServedFile.content, isResumed: isResumed, in: folder)
            #expect(error == nil)
            #expect(try text(folder.appending(path: "file")) == ServedFile.content)
            #expect(try names(in: folder) == ["file"])
        }
    }

    /// The part is removed, since nothing tells which of its bytes are wrong.
    @Test(arguments: Source.allCases, [false, true])
    func rejectsAnotherDigest(source: Source, isResumed: Bool) async throws {
        try await inFolder { folder in
            let error = try await refusal(from: source, of: "another", isResumed: isResumed, in: folder)
            #expect(error?.code == .digestMismatch)
            #expect(error?.detail.contains("SHA-256 digest") == true)
            #expect(error?.fileURL?.lastPathComponent == "file")
            #expect(try names(in: folder) == [])
        }
    }

    /// That of the option counts.
    @Test func prefersTheDigestOfTheRequest() async throws {
        try await inFolder { folder in
            let served = ServedFile(fields: Self.fields("another"))
            let test = TestSession { served.response(to: $0) }
            let file = folder.appending(path: "file")
            let options: RequestOptions = [try Self.expectation(of: ServedFile.content)]
            let request = test.session.download("http://h/a", to: .file(file), options: options)
            #expect(await request.serializingURL().response.error == nil)
            #expect(try text(file) == ServedFile.content)
            try await assertNothingLeft(test.session)
        }
    }

    /// A part that another program has changed is noticed.
    @Test func includesTheBytesOfThePart() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await Self.served.leavePart(of: file)
            let handle = try FileHandle(forWritingTo: folder.appending(path: "file.part"))
            try handle.write(contentsOf: Data("!".utf8))
            try handle.close()
            let test = TestSession { Self.served.response(to: $0) }
            let request = test.session.download(
                "http://h/a",
                to: .file(file, options: .resumePartialFile),
                options: [try Self.expectation(of: ServedFile.content)]
            )
            #expect(await request.serializingURL().response.error?.code == .digestMismatch)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    /// RFC 9530 §3: the digest of a partial response is that of the whole.
    @Test func ignoresTheDigestBesideARangeOfTheUser() async throws {
        try await inFolder { folder in
            let test = TestSession { _ in
                var response = MockResponse(
                    status: .partialContent,
                    fields: Self.fields(ServedFile.content),
                    body: "345"
                )
                response.fields[.contentRange] = "bytes 3-5/40"
                return response
            }
            let file = folder.appending(path: "file")
            let request = test.session.download("http://h/a", fields: [.range: "bytes=3-5"], to: .file(file))
            #expect(await request.serializingURL().response.error == nil)
            #expect(try text(file) == "345")
            try await assertNothingLeft(test.session)
        }
    }

    static let bodiless: [(method: HTTPRequest.Method, status: Int)] = [(.head, 200), (.get, 204)]

    /// They have no body, but the fields of one.
    @Test(arguments: bodiless)
    func ignoresTheDigestOfABodyThatIsNotSent(method: HTTPRequest.Method, status: Int) async throws {
        try await inFolder { folder in
            let test = TestSession { _ in
                MockResponse(status: .init(code: status), fields: Self.fields(ServedFile.content))
            }
            let file = folder.appending(path: "file")
            let request = test.session.download("http://h/a", method: method, to: .file(file))
            #expect(await request.serializingURL().response.error == nil)
            #expect(try text(file) == "")
            try await assertNothingLeft(test.session)
        }
    }

    @Test func ignoresAMalformedField() async throws {
        try await inFolder { folder in
            let served = ServedFile(fields: [.eTag: "\"1\"", .reprDigest: "sha-256=:AAAA"])
            let test = TestSession { served.response(to: $0) }
            let file = folder.appending(path: "file")
            _ = try await test.session.download("http://h/a", to: .file(file)).serializingURL().value
            #expect(try text(file) == ServedFile.content)
            try await assertNothingLeft(test.session)
        }
    }
}
