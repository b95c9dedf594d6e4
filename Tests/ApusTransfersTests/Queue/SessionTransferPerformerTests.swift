internal import Apus
internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

/// Tests a queue with a session and a server on loopback.
@Suite(.timeLimit(.minutes(5))) struct SessionTransferPerformerTests {
    private static let length = 300_000
    private static let content = TestServer.pattern(count: length)

    /// Responds with `content`, or with the rest of it from the requested byte on.
    private static func respond(to request: TestRequest, _ eTag: String = "\"1\"") -> TestResponse {
        let range = request["range"]?.dropFirst("bytes=".count).dropLast()
        guard let start = range.flatMap({ Int($0) }), start < length, request["if-range"] == eTag else {
            return TestResponse(fields: [("ETag", eTag)], body: .bytes(content))
        }
        return TestResponse(
            status: 206,
            fields: [("ETag", eTag), ("Content-Range", "bytes \(start)-\(length - 1)/\(length)")],
            body: .bytes(Array(content[start...]))
        )
    }

    /// Calls `work` with a queue that retries at once, its folder and its server.
    private func withQueue(
        _ respond: @escaping @Sendable (TestRequest, _ number: Int) -> TestResponse,
        _ work: (TransferQueue, URL, TestServer) async throws -> Void
    ) async throws {
        let count = LockedValue(0)
        try await TestServer.with(behavior: .handler { respond($0, count.increased(by: 1)) }) { server in
            try await inFolder { folder in
                let session = Session()
                var configuration = TransferQueue.Configuration()
                configuration.retryDelay = .zero
                let queue = try TransferQueue(
                    folder: folder.appending(path: "queue"),
                    session: session,
                    configuration: configuration
                )
                try await work(queue, folder, server)
                try await assertNothingLeft(session)
            }
        }
    }

    private func digest(of bytes: [UInt8]) throws -> String {
        let folder = try TemporaryFolder()
        return try FileFingerprint(of: folder.write(Data(bytes), to: "content")).sha256
    }

    /// Returns the names of the events, up to the one that ends a transfer.
    private func course(_ events: AsyncStream<TransferEvent>) async -> [String] {
        var names: [String] = []
        for await event in events {
            guard let name = event.name else { continue }
            names.append(
                name.split(separator: " ").enumerated().filter { $0.offset != 1 }.map(\.element).joined(separator: " ")
            )
            switch event {
            case .finished, .uploaded, .failed(_, _, willRetry: false), .removed: return names
            case .started, .progress, .failed, .fault: continue
            }
        }
        return names
    }

    @Test func downloadsAFile() async throws {
        try await withQueue({ request, _ in Self.respond(to: request) }) { queue, folder, server in
            let file = folder.appending(path: "new/file")
            let digest = try digest(of: Self.content)
            let events = queue.events
            try await queue.add(
                Transfer(server.url("/a"), to: file, fields: ["X-Tag": "1"], expectedDigest: .sha256(digest))
            )
            try await queue.run()
            #expect(await course(events) == ["started", "finished"])
            #expect(try Data(contentsOf: file) == Data(Self.content))
            #expect(try names(in: folder.appending(path: "new")) == ["file"])
            #expect(server.requests.map { $0["x-tag"] } == ["1"])
            let transfers = try await queue.transfers
            let queued = try #require(transfers.first)
            #expect(queued.file?.byteCount == Int64(Self.length))
            #expect(queued.file?.sha256 == digest)
            try await queue.run()
            #expect(server.requestCount == 1)
        }
    }

    @Test func continuesAFileAfterAFailure() async throws {
        try await withQueue({ request, number in
            var response = Self.respond(to: request)
            if number == 1 { response.abortsAfterBodyBytes = 100_000 }
            return response
        }) { queue, folder, server in
            let file = folder.appending(path: "file")
            let events = queue.events
            let expected = try ExpectedDigest.sha256(digest(of: Self.content))
            try await queue.add(Transfer(server.url("/a"), to: file, expectedDigest: expected))
            try await queue.run()
            let names = await course(events)
            #expect(names == ["started", "failed connectionClosed retry", "started", "finished"])
            #expect(try Data(contentsOf: file) == Data(Self.content))
            #expect(server.requestCount == 2)
            let range = try #require(server.requests.last?["range"])
            #expect(range.hasPrefix("bytes=") && range != "bytes=0-")
        }
    }

    @Test(arguments: [false, true]) func refusesAnotherFile(isLong: Bool) async throws {
        try await withQueue({ request, _ in Self.respond(to: request) }) { queue, folder, server in
            let events = queue.events
            let zeros = String(repeating: "0", count: isLong ? 128 : 64)
            let expected = try isLong ? ExpectedDigest.sha512(zeros) : ExpectedDigest.sha256(zeros)
            try await queue.add(
                Transfer(server.url("/a"), to: folder.appending(path: "file"), expectedDigest: expected)
            )
            try await queue.run()
            #expect(await course(events) == ["started", "failed digestMismatch"])
            #expect(try !names(in: folder).contains("file"))
        }
    }

    @Test func failsForAMissingFile() async throws {
        try await withQueue({ _, _ in .text("no", status: 404) }) { queue, folder, server in
            let events = queue.events
            try await queue.add(Transfer(server.url("/a"), to: folder.appending(path: "file")))
            try await queue.run()
            #expect(await course(events) == ["started", "failed unacceptableStatus"])
            #expect(try await queue.transfers.first?.failure?.text.contains("404") == true)
            #expect(server.requestCount == 1)
        }
    }

    @Test func removesThePartOfAFile() async throws {
        try await withQueue({ request, _ in
            var response = Self.respond(to: request)
            response.abortsAfterBodyBytes = 50_000
            return response
        }) { queue, folder, server in
            let id = try await queue.add(Transfer(server.url("/a"), to: folder.appending(path: "file"), retryLimit: 0))
            try await queue.run()
            #expect(try names(in: folder).contains("file.part"))
            let events = queue.events
            try await queue.remove(id)
            try await queue.run()
            #expect(await course(events) == ["removed"])
            #expect(try names(in: folder) == ["queue"])
        }
    }

    /// The next run finds the file by its length and its digest, and sends no request.
    @Test func recognizesItsFile() async throws {
        try await withQueue({ request, _ in Self.respond(to: request) }) { _, folder, server in
            let session = Session()
            let performer = SessionTransferPerformer(session: session)
            let transfer = try Transfer(server.url("/a"), to: folder.appending(path: "file"))
            let placed = LockedList<FileFingerprint>()
            let file = try await performer.perform(transfer, placing: { placed.append($0) }, progress: { _ in })
            #expect(placed.all == [file])
            #expect(await performer.finds(file, of: transfer))
            #expect(await !performer.finds(FileFingerprint(byteCount: 1, sha256: file.sha256), of: transfer))
            try makeFile(folder.appending(path: "file.part"), "rest")
            #expect(await performer.finds(file, of: transfer))
            // A file without a record is one of another program.
            #expect(try names(in: folder) == ["file", "file.part", "queue"])
            #expect(server.requestCount == 1)
            try await assertNothingLeft(session)
        }
    }

    @Test func movesNoFileThatIsNotPlaced() async throws {
        try await withQueue({ request, _ in Self.respond(to: request) }) { _, folder, server in
            let session = Session()
            let performer = SessionTransferPerformer(session: session)
            let transfer = try Transfer(server.url("/a"), to: folder.appending(path: "file"))
            let error = await failure {
                try await performer.perform(
                    transfer,
                    placing: { _ throws(ApusError) in throw ApusError(.fileUnwritable, "the log is full") },
                    progress: { _ in }
                )
            }
            #expect(error?.code == .fileUnwritable)
            #expect(try !names(in: folder).contains("file"))
            try await assertNothingLeft(session)
        }
    }

    /// The next attempt requests its last byte only.
    @Test func keepsACompleteFileThatIsNotPlaced() async throws {
        try await withQueue({ request, _ in Self.respond(to: request) }) { _, folder, server in
            let session = Session()
            let performer = SessionTransferPerformer(session: session)
            let transfer = try Transfer(server.url("/a"), to: folder.appending(path: "file"))
            let error = await failure {
                try await performer.perform(
                    transfer,
                    placing: { _ throws(ApusError) in throw ApusError(.fileUnwritable, "the log is full") },
                    progress: { _ in }
                )
            }
            #expect(error?.code == .fileUnwritable)
            #expect(try names(in: folder).contains("file.part"))
            let file = try await performer.perform(transfer, placing: { _ in }, progress: { _ in })
            #expect(file.byteCount == Int64(Self.length))
            #expect(server.requests.last?["range"] == "bytes=\(Self.length - 1)-")
            try await assertNothingLeft(session)
        }
    }

    @Test func reportsItsProgressBeforeItsEnd() async throws {
        try await withQueue({ request, _ in Self.respond(to: request) }) { _, folder, server in
            let session = Session()
            let performer = SessionTransferPerformer(session: session)
            let transfer = try Transfer(server.url("/a"), to: folder.appending(path: "file"))
            let last = LockedValue<Int64>(0)
            _ = try await performer.perform(transfer, placing: { _ in }, progress: { last.value = $0.completed })
            #expect(last.value == Int64(Self.length))
            try await assertNothingLeft(session)
        }
    }

    @Test func endsWithItsSession() async throws {
        try await inFolder { folder in
            let session = Session()
            let queue = try TransferQueue(folder: folder.appending(path: "queue"), session: session)
            try await queue.add(Transfer("http://127.0.0.1:1/", to: folder.appending(path: "file")))
            await session.shutdown(within: .zero)
            let error = await failure { try await queue.run() }
            #expect(error?.code == .sessionShutDown)
        }
    }
}
