internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Segments that break, are refused, or are those of another file.
@Suite(.timeLimit(.minutes(5))) struct SegmentedDownloadFaultTests {
    private static let content = RangeOrigin.text(1000)
    private static let origin = RangeOrigin(content)
    private static let option = DownloadSegments(4, minimumBytes: 100)
    private static let url = "http://h/file"

    // MARK: Broken connections

    /// Cuts off the first response to each segment after each number of bytes.
    @Test func continuesBrokenSegments() async throws {
        for limit in Array(stride(from: 0, to: 255, by: 11)) + [249, 250, 251] {
            try await inFolder { folder in
                let file = folder.appending(path: "file")
                let seen = LockedValue<Set<String>>([])
                let test = TestSession { request in
                    let isFirst = seen.change { $0.insert(request.rangeEnd).inserted }
                    return Self.origin.response(to: request, cutAfter: isFirst ? limit : nil)
                }
                let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
                let response = await request.serializingURL().response
                #expect(response.error == nil, "\(limit)")
                #expect(try text(file) == Self.content, "\(limit)")
                #expect(try names(in: folder) == ["file"])
                try await assertNothingLeft(test.session)
            }
        }
    }

    @Test func failsOnceWithTheErrorOfTheSegment() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { request in
                if request.rangeEnd == "749" { throw ApusError(.connectionClosed, "it is gone") }
                return Self.origin.response(to: request)
            }
            let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
            let error = try #require(await request.serializingURL().response.error)
            #expect(error.code == .connectionClosed)
            #expect(error.detail == "it is gone, in the segment of the bytes 500 to 749")
            #expect(error.method == .get && error.url == Self.url)
            #expect(test.names(of: request).filter { $0 == "finished" }.count == 1)
            #expect(request.resumeData == nil)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    /// The other workers fetch their own segments, and try the failing one before the request fails.
    @Test(arguments: [true, false]) func continuesAllSegmentsInTheNextDownload(hasOption: Bool) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let destination = DownloadDestination.file(file, options: [.resumePartialFile])
            let broken = TestSession { request in
                if request.rangeEnd == "749" { throw ApusError(.connectionClosed, "it is gone") }
                return Self.origin.response(to: request)
            }
            let failed = broken.session.download(Self.url, to: destination, options: [Self.option])
            #expect(await failed.serializingURL().response.error?.code == .connectionClosed)
            #expect(failed.resumeData != nil)
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
            let record = try #require(PartialFileRecord.read(at: file.path + ".part.json"))
            #expect(record.segments?.ranges == [0..<500, 750..<1000])
            let test = TestSession { Self.origin.response(to: $0) }
            let options: RequestOptions = hasOption ? [Self.option] : .none
            let request = test.session.download(Self.url, to: destination, options: options)
            _ = try await request.serializingURL().value
            #expect(try text(file) == Self.content)
            #expect(test.ranges == (hasOption ? ["bytes=500-", "bytes=625-749"] : ["bytes=500-"]))
            #expect(test.transport.requests.allSatisfy { $0.fields[.ifRange] == "\"1\"" })
            #expect(request.downloadProgress.completed == 1000)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(broken.session)
            try await assertNothingLeft(test.session)
        }
    }

    @Test func isContinuedByARetry() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let isRetried = LockedValue(false)
            let test = TestSession(configuring: { $0.interceptor = RetryPolicy(scale: .zero) }) { request in
                if request.fields[.range] == "bytes=500-" { isRetried.value = true }
                guard isRetried.value || request.rangeEnd != "749" else {
                    throw ApusError(.connectionClosed, "it is gone")
                }
                return Self.origin.response(to: request)
            }
            let downloaded = try await test.session.download(Self.url, to: file, options: [Self.option])
            #expect(try text(file) == Self.content)
            #expect(downloaded.metrics.exchanges.count { $0.cause == .retry } == 1)
            #expect(test.ranges.contains("bytes=625-749"))
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Refused segments

    /// The server refuses one segment, while the first one has arrived and the others wait.
    @Test func leavesARefusedSegmentToTheOthers() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let barrier = Barrier()
            let isRefused = LockedValue(false)
            let test = TestSession(configuring: { $0.interceptor = RetryPolicy(scale: .zero) }) { request in
                let end = request.rangeEnd
                let refuses = isRefused.change { isRefused in
                    defer { isRefused = isRefused || end == "999" }
                    return end == "999" && !isRefused
                }
                if refuses { return MockResponse(status: .serviceUnavailable, body: "too many") }
                if !end.isEmpty { try await barrier.passUnlessCancelled() }
                return Self.origin.response(to: request)
            }
            let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
            let task = request.serializingURL()
            #expect(await eventually { test.requestCount >= 4 })
            for _ in 0..<1000 { await Task.yield() }
            barrier.open()
            #expect(try await task.value.path == file.path)
            #expect(try text(file) == Self.content)
            #expect(test.requestCount == 5)
            try await assertNothingLeft(test.session)
        }
    }

    @Test func failsIfASegmentIsForbidden() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { request in
                guard request.rangeEnd == "499" else { return Self.origin.response(to: request) }
                return MockResponse(status: .forbidden, body: "not this part")
            }
            let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
            let error = try #require(await request.serializingURL().response.error)
            #expect(error.code == .unacceptableStatus)
            #expect(error.detail == "the status is 403 (Forbidden), in the segment of the bytes 250 to 499")
            #expect(error.responseCode == 403)
            #expect(error.data == Data("not this part".utf8))
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Another file

    enum Change: String, CaseIterable, Sendable {
        case newFile, newTag, newLength, otherRange, coded, unsatisfiable, tooLong, otherBodyLength

        /// Returns the response to a request after the first one. Its file is the new one.
        func response(to request: RequestMessage, _ old: RangeOrigin, _ new: RangeOrigin) -> MockResponse {
            guard request.fields[.range] != nil else { return new.response(to: request) }
            var response = old.response(to: request)
            switch self {
            case .newFile: response = new.response(to: request)
            case .newTag: response.fields[.eTag] = new.tag
            case .newLength:
                response.fields[.contentRange] = response.fields[.contentRange]?.replacing("/1000", with: "/1001")
            case .otherRange: response.fields[.contentRange] = "bytes 1-249/1000"
            case .coded: response.fields[.contentEncoding] = "br"
            case .unsatisfiable: response = MockResponse(status: .rangeNotSatisfiable)
            case .tooLong:
                response.fields[.contentLength] = nil
                response.chunks.append(BodyChunk("x"))
            case .otherBodyLength: response.fields[.contentLength] = "251"
            }
            return response
        }
    }

    /// The first response is that of the old file. Its bytes are never mixed with those of the new one.
    @Test(arguments: Change.allCases, [true, false])
    func beginsAnewIfTheFileChanges(change: Change, keepsPart: Bool) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let new = RangeOrigin(RangeOrigin.text(900, from: "A"), tag: "\"2\"")
            let isFirst = LockedValue(true)
            let test = TestSession { request in
                let wasFirst = isFirst.change { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                return wasFirst
                    ? Self.origin.response(to: request) : change.response(to: request, Self.origin, new)
            }
            let destination = DownloadDestination.file(file, options: keepsPart ? [.resumePartialFile] : [])
            let request = test.session.download(Self.url, to: destination, options: [Self.option])
            let response = await request.serializingURL().response
            #expect(response.error == nil)
            #expect(try text(file) == new.content)
            #expect(response.response?.status == .ok)
            #expect(request.downloadProgress.completed == 900)
            #expect(response.metrics.exchanges.last?.cause == .restart)
            #expect(test.transport.requests.last?.fields[.range] == nil)
            #expect(test.transport.requests.count { $0.fields[.range] == nil } == 1)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Digests

    private func digest(of text: String) throws -> ExpectedDigest {
        var stream = DigestStream(.sha256)
        stream.update(BodyChunk(text))
        return try .sha256(try #require(ContentDigest(.sha256, bytes: stream.finish())).hexadecimal)
    }

    @Test func verifiesTheDigestOfTheWholeFile() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { Self.origin.response(to: $0) }
            let right = try digest(of: Self.content)
            _ = try await test.session.download(Self.url, to: file, options: [Self.option, right])
            #expect(try text(file) == Self.content)
            let wrong = try digest(of: "another file")
            let other = folder.appending(path: "other")
            let error = await failure {
                try await test.session.download(Self.url, to: other, options: [Self.option, wrong])
            }
            #expect(error?.code == .digestMismatch)
            #expect(test.requestCount == 8)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }
}
