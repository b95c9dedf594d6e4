internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// A fault of one segment, while all others arrive as they should. `SegmentedDownloadFaultTests` has faults of all.
@Suite(.timeLimit(.minutes(5))) struct SegmentFaultTests {
    private static let content = RangeOrigin.text(1000)
    private static let origin = RangeOrigin(content)
    private static let option = DownloadSegments(4, minimumBytes: 100)
    private static let url = "http://h/file"
    /// The last byte of the segment with the fault, which begins at byte 500.
    private static let faulty = "749"

    // MARK: Resets

    @Test(arguments: [0, 1, 9, 10, 11, 125, 240, 249, 250]) func isContinuedWhereItWasReset(offset: Int) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let isReset = LockedValue(false)
            let test = TestSession { request in
                guard request.rangeEnd == Self.faulty else { return Self.origin.response(to: request) }
                let resets = isReset.change { isReset -> Bool in
                    defer { isReset = true }
                    return !isReset
                }
                return Self.origin.response(to: request, cutAfter: resets ? offset : nil)
            }
            let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
            let response = await request.serializingURL().response
            #expect(response.error == nil)
            #expect(try text(file) == Self.content)
            var expected = ["bytes=0-", "bytes=250-499", "bytes=500-749", "bytes=750-999"]
            // A segment that is complete is not continued.
            if offset < 250 { expected.append("bytes=\(500 + offset)-749") }
            #expect(test.ranges == expected.sorted())
            #expect(response.metrics.exchanges.count { $0.cause == .segment } == expected.count - 1)
            #expect(request.downloadProgress.completed == 1000)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Other answers

    enum Answer: String, CaseIterable, Sendable {
        case newFile, sameFile, unsatisfiable, otherTag, weakTag, otherTotal, noRange

        /// Whether the server has a new file.
        var isNew: Bool { self != .sameFile && self != .weakTag && self != .noRange }

        /// Returns the response to the segment.
        func response(to request: RequestMessage, _ old: RangeOrigin, _ new: RangeOrigin) -> MockResponse {
            var response = old.response(to: request)
            var whole = request
            whole.fields[.range] = nil
            switch self {
            case .newFile: response = new.response(to: request)
            case .sameFile: response = old.response(to: whole)
            case .unsatisfiable:
                let fields: HTTPFields = [.contentRange: "bytes */900"]
                response = MockResponse(status: .rangeNotSatisfiable, fields: fields)
            case .otherTag: response.fields[.eTag] = new.tag
            case .weakTag: response.fields[.eTag] = "W/\"1\""
            case .otherTotal: response.fields[.contentRange] = "bytes 500-749/900"
            case .noRange: response.fields[.contentRange] = nil
            }
            return response
        }
    }

    /// The file is requested as a whole, so that its bytes are those of one version.
    @Test(arguments: Answer.allCases) func beginsAnew(answer: Answer) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let new = RangeOrigin(RangeOrigin.text(900, from: "A"), tag: "\"2\"")
            let latest = answer.isNew ? new : Self.origin
            let test = TestSession { request in
                if request.rangeEnd == Self.faulty { return answer.response(to: request, Self.origin, new) }
                return (request.fields[.range] == nil ? latest : Self.origin).response(to: request)
            }
            let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
            let response = await request.serializingURL().response
            #expect(response.error == nil)
            #expect(try text(file) == latest.content)
            #expect(response.response?.status == .ok)
            #expect(test.ranges.filter { $0 == "whole" }.count == 1)
            #expect(response.metrics.exchanges.last?.cause == .restart)
            #expect(request.downloadProgress.completed == Int64(latest.content.utf8.count))
            #expect(test.names(of: request).filter { $0 == "finished" }.count == 1)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// The others try it again. Without success the request fails once, and the part is continued later.
    @Test(arguments: [429, 503]) func failsIfItIsRefusedForGood(status: Int) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let destination = DownloadDestination.file(file, options: .resumePartialFile)
            let busy = TestSession { request in
                guard request.rangeEnd == Self.faulty else { return Self.origin.response(to: request) }
                return MockResponse(status: .init(code: status), body: "busy")
            }
            let request = busy.session.download(Self.url, to: destination, options: [Self.option])
            let error = try #require(await request.serializingURL().response.error)
            #expect(error.code == .unacceptableStatus)
            #expect(error.responseCode == status)
            #expect(error.data == Data("busy".utf8))
            #expect(error.detail.hasSuffix("in the segment of the bytes 500 to 749"))
            #expect(busy.names(of: request).filter { $0 == "finished" }.count == 1)
            #expect(busy.ranges.count { $0 == "bytes=500-749" } <= 4)
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
            try await assertNothingLeft(busy.session)
            let test = TestSession { Self.origin.response(to: $0) }
            _ = try await test.session.download(Self.url, to: destination, options: [Self.option])
                .serializingURL().value
            #expect(try text(file) == Self.content)
            #expect(test.ranges == ["bytes=500-", "bytes=625-749"])
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Digests

    /// RFC 9530 §3: the digest of a partial response is that of the whole.
    @Test(arguments: [true, false]) func countsForTheDigestOfTheServer(isRight: Bool) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            var stream = DigestStream(.sha256)
            stream.update(BodyChunk(isRight ? Self.content : "another file"))
            let field = "sha-256=:\(Data(stream.finish()).base64EncodedString()):"
            let test = TestSession { request in
                var response = Self.origin.response(to: request)
                response.fields[.reprDigest] = field
                return response
            }
            let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
            let error = await request.serializingURL().response.error
            let expected: ApusError.Code? = isRight ? nil : .digestMismatch
            #expect(error?.code == expected)
            #expect(test.requestCount == 4)
            #expect(try names(in: folder) == (isRight ? ["file"] : []))
            try await assertNothingLeft(test.session)
        }
    }
}
