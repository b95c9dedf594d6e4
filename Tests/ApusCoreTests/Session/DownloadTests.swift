internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
    @Test(arguments: [[], [""], ["abc"], ["a", "bc"], Array(repeating: "0123456789", count: 500)])
    func writesTheBody(chunks: [String]) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file ü")
            let expected = chunks.joined()
            let session = Session(
                transport: MockTransport { _ in
                    MockResponse(fields: [.eTag: "x"], chunks: chunks.filter { !$0.isEmpty }.map { BodyChunk($0) })
                }
            )
            let downloaded = try await session.download("http://h/", to: file)
            #expect(downloaded.status == .ok)
            #expect(downloaded.fields[.eTag] == "x")
            #expect(downloaded.fileURL == file)
            #expect(downloaded.byteCount == Int64(expected.utf8.count))
            #expect(downloaded.metrics.exchanges.count == 1)
            #expect(try text(file) == expected)
            #expect(try names(in: folder) == ["file ü"])
            try await assertNothingLeft(session)
        }
    }

    @Test func replacesAnExistingFileOnlyAtTheEnd() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try Data("old".utf8).write(to: file)
            let barrier = Barrier()
            let source = HeldBody(["n", "e", "w"], before: 2, barrier)
            let session = Session(transport: BodyTransport { _ in .stream(source) })
            let download = Task {
                try await session.download("http://h/", to: file, fileOptions: .removePreviousFile)
            }
            await barrier.reached()
            #expect(try text(file) == "old")
            #expect(try names(in: folder).count == 2)
            barrier.open()
            #expect(try await download.value.byteCount == 3)
            #expect(try text(file) == "new")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(session)
        }
    }

    @Test func leavesNoFilesBehindWhenItFails() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try Data("old".utf8).write(to: file)
            let session = Session(
                transport: MockTransport { _ in
                    MockResponse(
                        chunks: [BodyChunk("n"), BodyChunk("e")],
                        failure: ApusError(.connectionClosed, "gone")
                    )
                }
            )
            let error = await failure {
                try await session.download("http://h/?a=sesame", to: file, fileOptions: .removePreviousFile)
            }
            #expect(error?.code == .connectionClosed)
            #expect(error?.url == "http://h/?a=…")
            #expect(error?.responseCode == 200)
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(session)
        }
    }

    @Test func leavesNoFilesBehindWhenItIsCancelled() async throws {
        try await inFolder { folder in
            let barrier = Barrier()
            let source = HeldBody(["a", "b"], before: 1, barrier)
            let session = Session(transport: BodyTransport { _ in .stream(source) })
            let download = Task {
                await failure { try await session.download("http://h/", to: folder.appending(path: "file")) }
            }
            await barrier.reached()
            download.cancel()
            #expect(await download.value?.code == .cancelled)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(session)
        }
    }

    /// Parity: AF-error-move, AF-error-details
    @Test func throwsFileUnwritableForUnusableDestinations() async throws {
        try await inFolder { folder in
            let taken = folder.appending(path: "taken")
            try FileManager.default.createDirectory(at: taken, withIntermediateDirectories: false)
            let session = Session(
                transport: MockTransport { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
            )
            let destinations = [
                folder.appending(path: "missing/file"), taken, try #require(URL(string: "https://h/file")),
                folder.appending(path: String(repeating: "x", count: 300)),
            ]
            for destination in destinations {
                let error = await failure { try await session.download("http://h/", to: destination) }
                #expect(error?.code == .fileUnwritable, "\(destination)")
                #expect(error?.url == "http://h/")
                #expect(error?.fileURL?.path == destination.path)
            }
            #expect(try names(in: folder) == ["taken"])
            try await assertNothingLeft(session)
        }
    }

    @Test func writesToAFileNameOfMaximumLength() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: String(repeating: "x", count: 255))
            let session = Session(transport: MockTransport { _ in MockResponse(body: "a") })
            let downloaded = try await session.download("http://h/", to: file)
            #expect(downloaded.byteCount == 1)
            #expect(try text(file) == "a")
        }
    }

    @Test func rejectsUnsuccessfulResponsesAndKeepsTheirBodies() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let session = Session(
                transport: MockTransport { _ in MockResponse(status: .notFound, body: #"{"reason":"none"}"#) }
            )
            let error = try #require(await failure { try await session.download("http://h/", to: file) })
            #expect(error.code == .unacceptableStatus)
            #expect(error.responseCode == 404)
            #expect(error.decodeData(as: [String: String].self) == ["reason": "none"])
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(session)
        }
    }

    @Test func reportsProgress() async throws {
        try await inFolder { folder in
            let reported = LockedList<String>()
            let session = Session(
                transport: MockTransport { _ in
                    MockResponse(fields: [.contentLength: "3"], chunks: [BodyChunk("a"), BodyChunk("bc")])
                }
            )
            _ = try await session.download("http://h/", to: folder.appending(path: "file")) { progress in
                reported.append("\(progress.completed)/\(progress.total ?? -1)")
            }
            #expect(reported.all == ["1/3", "3/3"])
        }
    }

    @Test(arguments: [([], ["0/0"]), (["a", "bc"], ["1/-1", "3/-1", "3/3"])] as [([String], [String])])
    func knowsTheTotalAtTheEnd(chunks: [String], expected: [String]) async throws {
        try await inFolder { folder in
            let reported = LockedList<String>()
            let session = Session(transport: MockTransport { _ in MockResponse(chunks: chunks.map { BodyChunk($0) }) })
            _ = try await session.download("http://h/", to: folder.appending(path: "file")) { progress in
                reported.append("\(progress.completed)/\(progress.total ?? -1)")
            }
            #expect(reported.all == expected)
        }
    }

    @Test func isNotBoundByTheCollectedBodyLimit() async throws {
        try await inFolder { folder in
            var configuration = Session.Configuration()
            configuration.limits.collectedBodyBytes = 1
            let session = Session(
                configuration: configuration,
                transport: MockTransport { _ in MockResponse(body: "abc") }
            )
            let downloaded = try await session.download("http://h/", to: folder.appending(path: "file"))
            #expect(downloaded.byteCount == 3)
        }
    }

    private func completions(_ test: TestSession) -> [ApusError.Code?] {
        test.monitor.events.compactMap { event -> ApusError.Code?? in
            if case .completed(let response) = event.event { .some(response.error?.code) } else { nil }
        }
    }

    /// Monitors receive the file error, not the cancellation of the body that follows from it.
    @Test func reportsTheFileErrorToMonitors() async throws {
        try await inFolder { folder in
            let test = TestSession { request in
                guard request.target.path == "/b" else {
                    return MockResponse(status: .found, fields: [.location: "/b"])
                }
                return MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")])
            }
            let error = await failure {
                try await test.session.download("http://h/", to: folder.appending(path: "missing/file"))
            }
            #expect(error?.code == .fileUnwritable && error?.responseCode == 200)
            #expect(error?.exchanges.count == 2 && error?.redirects.count == 1)
            #expect(completions(test) == [.fileUnwritable])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func reportsARejectionToMonitorsWhenItsBodyIsTruncated() async throws {
        try await inFolder { folder in
            let test = TestSession {
                $0.limits.errorBodyBytes = 1
            } responding: { _ in
                MockResponse(status: .notFound, chunks: [BodyChunk("a"), BodyChunk("b")])
            }
            let error = await failure {
                try await test.session.download("http://h/", to: folder.appending(path: "file"))
            }
            #expect(error?.code == .unacceptableStatus && error?.data == Data("a".utf8))
            #expect(error?.exchanges.count == 1)
            #expect(completions(test) == [.unacceptableStatus])
            try await assertNothingLeft(test.session)
        }
    }
}
