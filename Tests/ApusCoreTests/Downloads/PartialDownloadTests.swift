internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Downloads whose connection is lost, and that a retrier continues.
@Suite(.timeLimit(.minutes(5))) struct PartialDownloadTests {
    private static let served = ServedFile()

    /// Downloads a file whose first response is cut off after twenty bytes, and checks that nothing else is left.
    private func outcome(
        in test: TestSession,
        of path: String = "/a",
        expecting content: String = ServedFile.content,
        prepare: (DownloadRequest) -> Void = { _ in }
    ) async throws -> DownloadResponse<URL> {
        let folder = try TemporaryFolder()
        let file = folder.url("file")
        let request = test.session.download("http://h\(path)", to: .file(file))
        prepare(request)
        let response = await request.serializingURL().response
        #expect(response.value == file)
        #expect(try text(file) == content)
        #expect(try folder.names == ["file"])
        #expect(request.resumeData == nil)
        try await assertNothingLeft(test.session)
        return response
    }

    // MARK: The same version

    @Test(arguments: 0..<40) func continuesAfterACut(cut: Int) async throws {
        let test = TestSession.retrying { request, number in
            Self.served.response(to: request, cutAfter: number == 1 ? cut : nil)
        }
        let response = try await outcome(in: test)
        #expect(test.values(of: .range) == [nil, cut == 0 ? nil : "bytes=\(cut)-"])
        #expect(test.values(of: .ifRange) == [nil, cut == 0 ? nil : "\"1\""])
        #expect(test.values(of: .acceptEncoding).last == (cut == 0 ? "gzip, deflate" : "identity"))
        #expect(response.response?.status == (cut == 0 ? .ok : .partialContent))
        #expect(response.metrics.exchanges.map(\.cause) == [.first, .retry])
        #expect(response.byteCount == 40)
    }

    @Test func continuesAfterEachCut() async throws {
        let test = TestSession.retrying(limit: 4) { request, number in
            Self.served.response(to: request, cutAfter: number < 5 ? 9 : nil)
        }
        let response = try await outcome(in: test)
        #expect(test.values(of: .range) == [nil, "bytes=9-", "bytes=18-", "bytes=27-", "bytes=36-"])
        #expect(response.metrics.exchanges.map(\.cause) == [.first, .retry, .retry, .retry, .retry])
    }

    /// The connection is lost after the last byte.
    @Test func requestsTheLastByteAgain() async throws {
        let test = TestSession.retrying { request, number in
            Self.served.response(to: request, cutAfter: number == 1 ? 40 : nil)
        }
        _ = try await outcome(in: test)
        #expect(test.values(of: .range) == [nil, "bytes=39-"])
    }

    /// A response may announce no length. The part may then be complete.
    @Test(arguments: [20, 40]) func continuesAFileOfUnknownLength(cut: Int) async throws {
        let test = TestSession.retrying { request, number in
            if request.fields[.range] == "bytes=40-" { return MockResponse(status: .rangeNotSatisfiable) }
            var response = Self.served.response(to: request, cutAfter: number == 1 ? cut : nil)
            response.fields[.contentLength] = nil
            return response
        }
        let response = try await outcome(in: test)
        let ranges: [String?] = [nil, "bytes=\(cut)-", nil]
        let causes: [ExchangeCause] = [.first, .retry, .restart]
        let count = cut == 40 ? 3 : 2
        #expect(test.values(of: .range) == Array(ranges.prefix(count)))
        #expect(response.metrics.exchanges.map(\.cause) == Array(causes.prefix(count)))
    }

    @Test func continuesBetweenRefusals() async throws {
        let test = TestSession.retrying(limit: 3) { request, number in
            switch number {
            case 1: return Self.served.response(to: request, cutAfter: 20)
            case 2: return MockResponse(status: .serviceUnavailable, body: "busy")
            case 3: throw ApusError(.connectFailed, "it is away")
            default: return Self.served.response(to: request)
            }
        }
        _ = try await outcome(in: test)
        #expect(test.values(of: .range) == [nil, "bytes=20-", "bytes=20-", "bytes=20-"])
    }

    @Test func leavesNothingIfAllAttemptsFail() async throws {
        try await inFolder { folder in
            let test = TestSession.retrying { request, _ in Self.served.response(to: request, cutAfter: 9) }
            let request = test.session.download("http://h/a", to: .file(folder.appending(path: "file")))
            let response = await request.serializingURL().response
            #expect(response.error?.code == .connectionClosed)
            #expect(test.values(of: .range) == [nil, "bytes=9-", "bytes=18-"])
            #expect(request.resumeData == nil && request.fileURL == nil)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Validators

    struct Version: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: HTTPFields
        /// The value of `If-Range`. `nil` if the whole file is requested again.
        var condition: String?
    }

    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let later = "Sun, 06 Nov 1994 08:49:38 GMT"

    static let versions: [Version] = [
        Version(testDescription: "a tag", fields: [.eTag: "\"1\"", .lastModified: date], condition: "\"1\""),
        Version(testDescription: "nothing", fields: [:]),
        Version(testDescription: "a weak tag", fields: [.eTag: "W/\"1\""]),
        Version(
            testDescription: "a weak tag and a date",
            fields: [.eTag: "W/\"1\"", .lastModified: date, .date: later]
        ),
        Version(testDescription: "an old date", fields: [.lastModified: date, .date: later], condition: date),
        Version(testDescription: "a date of now", fields: [.lastModified: date, .date: date]),
        Version(testDescription: "a date at an unknown time", fields: [.lastModified: date]),
    ]

    @Test(arguments: versions) func continuesOnlyWithAStrongValidator(version: Version) async throws {
        let served = ServedFile(fields: version.fields)
        let test = TestSession.retrying { request, number in
            served.response(to: request, cutAfter: number == 1 ? 20 : nil)
        }
        _ = try await outcome(in: test)
        #expect(test.values(of: .range) == [nil, version.condition == nil ? nil : "bytes=20-"])
        #expect(test.values(of: .ifRange) == [nil, version.condition])
    }

    /// The second version is cut off too.
    @Test func beginsAnewIfTheFileHasChanged() async throws {
        let changed = ServedFile(content: String(ServedFile.content.reversed()), fields: [.eTag: "\"2\""])
        let test = TestSession.retrying { request, number in
            switch number {
            case 1: Self.served.response(to: request, cutAfter: 20)
            case 2: changed.response(to: request, cutAfter: 9)
            default: changed.response(to: request)
            }
        }
        _ = try await outcome(in: test, expecting: changed.content)
        #expect(test.values(of: .range) == [nil, "bytes=20-", "bytes=9-"])
        #expect(test.values(of: .ifRange) == [nil, "\"1\"", "\"2\""])
    }

    @Test func beginsAnewIfTheFileHasBecomeShorter() async throws {
        let changed = ServedFile(content: "short", fields: [.eTag: "\"2\""])
        let test = TestSession.retrying { request, number in
            number == 1 ? Self.served.response(to: request, cutAfter: 20) : changed.response(to: request)
        }
        _ = try await outcome(in: test, expecting: "short")
    }

    // MARK: Requests

    @Test func requestsTheWholeFileOfAPOST() async throws {
        try await inFolder { folder in
            let test = TestSession.retrying(methods: [.post]) { request, number in
                Self.served.response(to: request, cutAfter: number == 1 ? 20 : nil)
            }
            let file = folder.appending(path: "file")
            let request = test.session.download("http://h/a", method: .post, body: .string("x"), to: .file(file))
            _ = try await request.serializingURL().value
            #expect(try text(file) == ServedFile.content)
            #expect(test.values(of: .range) == [nil, nil])
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// Builds a request to another URL for each attempt.
    private struct MovingRequest: RequestConvertible {
        let count = LockedValue(0)

        func asRequest() throws -> RequestMessage { try RequestMessage("http://h/\(count.increased(by: 1))") }
    }

    /// An entity tag names the version of one resource.
    @Test func requestsTheWholeFileOfAnotherURL() async throws {
        try await inFolder { folder in
            let test = TestSession.retrying { request, number in
                Self.served.response(to: request, cutAfter: number == 1 ? 20 : nil)
            }
            let file = folder.appending(path: "file")
            _ = try await test.session.download(MovingRequest(), to: .file(file)).serializingURL().value
            #expect(test.paths == ["/1", "/2"])
            #expect(test.values(of: .range) == [nil, nil])
            #expect(try text(file) == ServedFile.content)
            try await assertNothingLeft(test.session)
        }
    }

    /// An adapter may add the same secret to each attempt.
    @Test func continuesWithAnAdapter() async throws {
        let test = TestSession.retrying { request, number in
            Self.served.response(to: request, cutAfter: number == 1 ? 20 : nil)
        }
        _ = try await outcome(in: test) { request in
            let adapter = Adapter { request, _ in
                var request = request
                request.target = request.target.adding(query: [URLQueryItem(name: "key", value: "sesame")])
                return request
            }
            request.interceptor(Interceptor(adapters: [adapter]))
        }
        #expect(test.paths == ["/a?key=sesame", "/a?key=sesame"])
        #expect(test.values(of: .range) == [nil, "bytes=20-"])
    }

    /// The user accepts only a whole file.
    @Test func requestsTheWholeFileIfAValidatorRejectsTheRest() async throws {
        let test = TestSession.retrying { request, number in
            Self.served.response(to: request, cutAfter: number == 1 ? 20 : nil)
        }
        let response = try await outcome(in: test) { $0.validate(statusCode: 200..<201) }
        #expect(response.response?.status == .ok)
        #expect(test.values(of: .range) == [nil, "bytes=20-", nil])
        #expect(response.metrics.exchanges.map(\.cause) == [.first, .retry, .restart])
    }

    /// RFC 9110 §15.3.7: the response to a conditional range need not repeat the fields of the whole.
    @Test func requestsTheWholeFileIfTheRestHasNoContentType() async throws {
        let served = ServedFile(fields: [.eTag: "\"1\"", .contentType: "text/plain"])
        let test = TestSession.retrying { request, number in
            var response = served.response(to: request, cutAfter: number == 1 ? 20 : nil)
            if response.status == .partialContent { response.fields[.contentType] = nil }
            return response
        }
        _ = try await outcome(in: test) { $0.validate(contentType: ["text/plain"]) }
        #expect(test.values(of: .range) == [nil, "bytes=20-", nil])
    }

    /// A destination may be another one for each response.
    @Test func followsItsDestination() async throws {
        try await inFolder { folder in
            let test = TestSession.retrying { request, number in
                Self.served.response(to: request, cutAfter: number == 1 ? 20 : nil)
            }
            let destination = DownloadDestination { _, response in
                let name = "\(response.status.code)/file"
                return (folder.appending(path: name), .createIntermediateDirectories)
            }
            let file = try await test.session.download("http://h/a", to: destination).serializingURL().value
            #expect(file == folder.appending(path: "206/file"))
            #expect(try text(file) == ServedFile.content)
            #expect(try names(in: folder) == ["200", "206"])
            #expect(try names(in: folder.appending(path: "200")) == [])
            #expect(try names(in: folder.appending(path: "206")) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }
}
