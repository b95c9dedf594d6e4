internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Responses to a range that are useless, short, long or lies.
@Suite(.timeLimit(.minutes(5))) struct RangeFaultTests {
    private static let served = ServedFile()
    private static let changed = ServedFile(content: "another content of another length", fields: [.eTag: "\"2\""])

    /// Returns a response with the tag of the first version.
    private static func rest(_ range: String?, _ fields: HTTPFields = [:], body: String) -> MockResponse {
        var response = MockResponse(
            status: .partialContent,
            fields: fields,
            chunks: ServedFile.chunks(body[...])
        )
        response.fields[.contentRange] = range
        if response.fields[.eTag] == nil { response.fields[.eTag] = "\"1\"" }
        return response
    }

    // MARK: Useless responses

    struct Useless: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: MockResponse
    }

    private static let restOfFile = String(ServedFile.content.dropFirst(20))

    static let useless: [Useless] = [
        Useless(
            testDescription: "416",
            response: MockResponse(status: .rangeNotSatisfiable, fields: [.contentRange: "bytes */10"])
        ),
        Useless(testDescription: "416 without a length", response: MockResponse(status: .rangeNotSatisfiable)),
        Useless(testDescription: "no range", response: rest(nil, body: restOfFile)),
        Useless(testDescription: "a malformed range", response: rest("bytes 20-", body: restOfFile)),
        Useless(testDescription: "another unit", response: rest("lines 20-39/40", body: restOfFile)),
        Useless(testDescription: "the whole", response: rest("bytes 0-39/40", body: ServedFile.content)),
        Useless(testDescription: "a later byte", response: rest("bytes 21-39/40", body: restOfFile)),
        Useless(testDescription: "an earlier byte", response: rest("bytes 19-39/40", body: restOfFile)),
        Useless(testDescription: "another total", response: rest("bytes 20-39/41", body: restOfFile)),
        Useless(
            testDescription: "a huge total",
            response: rest("bytes 20-9223372036854775806/9223372036854775807", body: restOfFile)
        ),
        Useless(
            testDescription: "a number that is too large",
            response: rest("bytes 20-39/9223372036854775808", body: "")
        ),
        Useless(testDescription: "several ranges", response: rest("bytes 20-39/40, bytes 0-1/40", body: restOfFile)),
        Useless(
            testDescription: "multipart",
            response: rest(nil, [.contentType: "multipart/byteranges; boundary=b"], body: "--b\r\n\r\n--b--\r\n")
        ),
        Useless(
            testDescription: "a coding",
            response: rest("bytes 20-39/40", [.contentEncoding: "gzip"], body: restOfFile)
        ),
        Useless(testDescription: "another tag", response: rest("bytes 20-39/40", [.eTag: "\"2\""], body: restOfFile)),
        Useless(testDescription: "a weak tag", response: rest("bytes 20-39/40", [.eTag: "W/\"1\""], body: restOfFile)),
        Useless(
            testDescription: "a shorter body than its range",
            response: rest("bytes 20-39/40", [.contentLength: "19"], body: String(restOfFile.dropLast()))
        ),
        Useless(
            testDescription: "a longer body than its range",
            response: rest("bytes 20-39/40", [.contentLength: "21"], body: restOfFile + "!")
        ),
        Useless(
            testDescription: "the longest length",
            response: rest("bytes 20-39/40", [.contentLength: "9223372036854775807"], body: restOfFile)
        ),
    ]

    @Test(arguments: useless) func restarts(useless: Useless) async throws {
        try await Self.served.withPart { folder, file in
            let test = TestSession { request in
                request.fields[.range] == nil ? Self.changed.response(to: request) : useless.response
            }
            let response = await test.session.download("http://h/a", to: resuming(file)).serializingURL().response
            #expect(response.value == file)
            #expect(try text(file) == Self.changed.content)
            #expect(try names(in: folder) == ["file"])
            #expect(test.values(of: .range) == ["bytes=20-", nil])
            #expect(test.values(of: .ifRange) == ["\"1\"", nil])
            #expect(response.metrics.exchanges.map(\.cause) == [.first, .restart])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func keepsThePartIfTheRestartFails() async throws {
        try await Self.served.withPart { folder, file in
            let test = TestSession { request in
                MockResponse(status: request.fields[.range] == nil ? .badGateway : .rangeNotSatisfiable)
            }
            let error = await test.session.download("http://h/a", to: resuming(file)).serializingURL().response.error
            #expect(error?.code == .unacceptableStatus && error?.responseCode == 502)
            #expect(test.requestCount == 2)
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
            try await assertNothingLeft(test.session)
        }
    }

    /// A server that never sends the whole file can't make the client send requests without end.
    @Test func restartsOnceInEachAttempt() async throws {
        try await inFolder { folder in
            let test = TestSession.retrying(limit: 3) { request, _ in
                request.fields[.range] == nil
                    ? Self.served.response(to: request, cutAfter: 20) : MockResponse(status: .rangeNotSatisfiable)
            }
            let file = folder.appending(path: "file")
            let response = await test.session.download("http://h/a", to: .file(file)).serializingURL().response
            #expect(response.error?.code == .connectionClosed)
            let causes = response.metrics.exchanges.map(\.cause)
            #expect(causes == [.first, .retry, .restart, .retry, .restart, .retry, .restart])
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Short responses

    /// A server may send less than the rest.
    @Test(arguments: ["40", "*"]) func continuesAfterAShortRange(total: String) async throws {
        try await Self.served.withPart { folder, file in
            let test = TestSession.retrying { request, number in
                guard number == 1 else { return Self.served.response(to: request) }
                return Self.rest("bytes 20-29/\(total)", body: String(Self.restOfFile.prefix(10)))
            }
            let response = await test.session.download("http://h/a", to: resuming(file)).serializingURL().response
            #expect(response.value == file)
            #expect(try text(file) == ServedFile.content)
            #expect(test.values(of: .range) == ["bytes=20-", "bytes=30-"])
            #expect(response.metrics.exchanges.map(\.cause) == [.first, .retry])
            try await assertNothingLeft(test.session)
        }
    }

    /// The body ends with its connection, without a length.
    @Test(arguments: ["40", "*"]) func noticesAMissingEnd(total: String) async throws {
        try await Self.served.withPart { folder, file in
            let test = TestSession { _ in
                Self.rest("bytes 20-39/\(total)", body: String(Self.restOfFile.dropLast()))
            }
            let error = await test.session.download("http://h/a", to: resuming(file)).serializingURL().response.error
            #expect(error?.code == .connectionClosed)
            #expect(error?.detail == "the server sent 39 of 40 bytes")
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
            #expect(try text(folder.appending(path: "file.part")) == String(ServedFile.content.dropLast()))
            try await assertNothingLeft(test.session)
        }
    }

    /// The length of the whole is unknown to both sides, but not that of the range.
    @Test func noticesAMissingEndOfUnknownLength() async throws {
        try await inFolder { folder in
            let test = TestSession.retrying(limit: 1) { request, number in
                guard number == 1 else { return Self.rest("bytes 20-39/*", body: "klm") }
                var response = Self.served.response(to: request, cutAfter: 20)
                response.fields[.contentLength] = nil
                return response
            }
            let file = folder.appending(path: "file")
            let error = await test.session.download("http://h/a", to: .file(file)).serializingURL().response.error
            #expect(error?.detail == "the server sent 23 of 40 bytes")
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Long responses

    /// No byte beyond the range reaches the file, and the next download begins anew.
    @Test(arguments: ["40", "*"]) func rejectsMoreThanTheRange(total: String) async throws {
        try await Self.served.withPart { folder, file in
            let test = TestSession { _ in Self.rest("bytes 20-39/\(total)", body: Self.restOfFile + "!") }
            let request = test.session.download("http://h/a", to: resuming(file))
            let error = await request.serializingURL().response.error
            #expect(error?.code == .malformedResponse)
            #expect(error?.detail == "it has more bytes than its Content-Range")
            #expect(request.resumeData == nil && request.fileURL == nil)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func rejectsAnEndlessRange() async throws {
        try await Self.served.withPart { folder, file in
            let test = TestSession { _ in
                MockResponse(
                    status: .partialContent,
                    fields: [.eTag: "\"1\"", .contentRange: "bytes 20-39/40"],
                    chunks: Array(repeating: BodyChunk(String(repeating: "x", count: 1 << 16)), count: 100),
                    failure: ServedFile.lost
                )
            }
            let error = await test.session.download("http://h/a", to: resuming(file)).serializingURL().response.error
            #expect(error?.code == .malformedResponse)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }
}
