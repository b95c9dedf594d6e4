import Apus
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// Files that are downloaded in segments, over connections of their own.
@Suite(.timeLimit(.minutes(5))) struct SegmentedDownloadTests {
    private static let option = DownloadSegments(4, minimumBytes: 64 << 10)
    private static let count = 1_000_000

    /// Returns the range of a request, and the text behind its dash: the last byte, if the range has one.
    private static func range(of request: TestRequest) -> (bytes: Range<Int>, end: String)? {
        guard let text = request["Range"], text.hasPrefix("bytes=") else { return nil }
        let bounds = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard bounds.count == 2, let first = Int(bounds[0]), first < count else { return nil }
        return (first..<min(Int(bounds[1]).map { $0 + 1 } ?? count, count), bounds[1])
    }

    /// Returns a range of the pattern as a response.
    private static func part(_ range: Range<Int>, tag: String = "\"1\"") -> TestResponse {
        TestResponse(
            status: 206,
            fields: [
                ("ETag", tag), ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"),
            ],
            body: .pattern(offset: range.lowerBound, count: range.count)
        )
    }

    private func expectPattern(in file: URL, offset: Int = 0, count: Int = Self.count) throws {
        let isRight = try Data(contentsOf: file) == Data(TestServer.pattern(offset: offset, count: count))
        #expect(isRight)
    }

    @Test(arguments: Wire.allCases, [1, 131_071, 131_072, 4 << 20])
    func downloadsTheSameBytes(wire: Wire, count: Int) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await wire.with { server, session in
                let url = server.url("/download/\(count)")
                let downloaded = try await session.download(url, to: file, options: [Self.option])
                #expect(downloaded.byteCount == Int64(count))
                try expectPattern(in: file, count: count)
                #expect(downloaded.statusCode == 206)
                #expect(downloaded.metrics.exchanges.count { $0.cause == .first } == 1)
                let segmentCount = min(4, max(1, count / (64 << 10)))
                #expect(server.requestCount == segmentCount)
                #expect(downloaded.metrics.exchanges.count { $0.cause == .segment } == segmentCount - 1)
                #expect(server.requests.allSatisfy { $0["Range"] != nil })
                #expect(try names(in: folder) == ["file"])
            }
        }
    }

    /// The server has a file without ranges.
    @Test(arguments: Wire.allCases) func downloadsAsUsual(wire: Wire) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await wire.with { server, session in
                let url = server.url("/bytes/\(Self.count)")
                let downloaded = try await session.download(url, to: file, options: [Self.option])
                try expectPattern(in: file)
                #expect(downloaded.statusCode == 200)
                #expect(server.requestCount == 1)
            }
        }
    }

    @Test(arguments: Wire.allCases) func keepsTheLimitOfConnections(wire: Wire) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await wire.with(configure: { $0.pool.connectionsPerOrigin = 2 }) { server, session in
                let options: RequestOptions = [DownloadSegments(16, minimumBytes: 1)]
                _ = try await session.download(server.url("/download/\(Self.count)"), to: file, options: options)
                try expectPattern(in: file)
                #expect(server.requestCount == 2)
                #expect(server.acceptedConnections == 2)
            }
        }
    }

    /// Cuts off the first response to each segment.
    @Test(arguments: Wire.allCases, [0, 1, 20_000, 65_536, 249_999])
    func continuesBrokenSegments(wire: Wire, byteCount: Int) async throws {
        let seen = LockedValue<Set<String>>([])
        let behavior = TestServer.Behavior.handler { request in
            guard let range = Self.range(of: request) else { return .text("no range", status: 400) }
            var response = Self.part(range.bytes)
            if seen.change({ $0.insert(range.end).inserted }) { response.abortsAfterBodyBytes = byteCount }
            return response
        }
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await wire.with(behavior) { server, session in
                _ = try await session.download(server.url("/"), to: file, options: [Self.option])
                try expectPattern(in: file)
                #expect(server.requestCount >= 8)
                #expect(server.requests.dropFirst().allSatisfy { $0["If-Range"] == "\"1\"" })
                #expect(try names(in: folder) == ["file"])
            }
        }
    }

    /// The file changes after the first response has begun.
    @Test(arguments: Wire.allCases) func beginsAnewIfTheFileChanges(wire: Wire) async throws {
        let isFirst = LockedValue(true)
        let behavior = TestServer.Behavior.handler { request in
            let wasFirst = isFirst.change { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if wasFirst, let range = Self.range(of: request) { return Self.part(range.bytes) }
            return TestResponse(fields: [("ETag", "\"2\"")], body: .pattern(offset: 7, count: 500_000))
        }
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await wire.with(behavior) { server, session in
                let downloaded = try await session.download(server.url("/"), to: file, options: [Self.option])
                try expectPattern(in: file, offset: 7, count: 500_000)
                #expect(downloaded.statusCode == 200)
                #expect(server.requests.count { $0["Range"] == nil } == 1)
                #expect(try names(in: folder) == ["file"])
            }
        }
    }

    /// All responses of the first session are cut off. A second session requests the missing bytes.
    @Test(arguments: Wire.allCases) func isContinuedInAnotherSession(wire: Wire) async throws {
        let isBroken = LockedValue(true)
        let behavior = TestServer.Behavior.handler { request in
            guard let range = Self.range(of: request) else { return .text("no range", status: 400) }
            var response = Self.part(range.bytes)
            if isBroken.value { response.abortsAfterBodyBytes = 1000 }
            return response
        }
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let destination = DownloadDestination.file(file, options: [.resumePartialFile])
            try await wire.with(behavior) { server, session in
                let request = session.download(server.url("/"), to: destination, options: [Self.option])
                let error = try #require(await request.serializingURL().response.error)
                #expect(error.detail.contains("in the segment of the bytes"))
                #expect(try names(in: folder) == ["file.part", "file.part.json"])
                isBroken.value = false
                server.forgetRequests()
                let second = Session(configuration: wire.configuration)
                _ = try await second.download(server.url("/"), to: destination, options: [Self.option])
                    .serializingURL().value
                try expectPattern(in: file)
                #expect(server.requests.first?["Range"] != "bytes=0-")
                #expect(server.requests.allSatisfy { $0["If-Range"] == "\"1\"" })
                #expect(try names(in: folder) == ["file"])
                try await assertNothingLeft(second)
            }
        }
    }

    // MARK: Suspended downloads

    /// Calls `work` with a download whose first segment has arrived. The server holds the responses to the others back
    /// until the gate is open.
    private func withHeldSegments(
        _ wire: Wire,
        _ work: (DownloadRequest, URL, Gate, TestServer, Session) async throws -> Void
    ) async throws {
        let gate = Gate()
        let behavior = TestServer.Behavior.handler { request in
            guard request.path == "/file" else { return .text("small") }
            guard let range = Self.range(of: request) else { return .text("no range", status: 400) }
            if !range.end.isEmpty { await gate.wait() }
            return Self.part(range.bytes)
        }
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await wire.with(behavior) { server, session in
                let request = session.download(server.url("/file"), to: .file(file), options: [Self.option])
                let task = request.serializingURL()
                await server.waitForRequests(atLeast: 4)
                #expect(await eventually { request.downloadProgress.completed == 250_000 })
                try await work(request, file, gate, server, session)
                _ = await task.response
            }
        }
    }

    /// The responses arrive while the download is suspended, and are read when it is resumed.
    @Test(arguments: Wire.allCases) func suspendsAllSegments(wire: Wire) async throws {
        try await withHeldSegments(wire) { request, file, gate, server, session in
            request.suspend()
            gate.open()
            for _ in 0..<20 { try await session.get(server.url("/small")).validate() }
            #expect(request.downloadProgress.completed == 250_000)
            #expect(request.state == .suspended)
            request.resume()
            _ = try await request.serializingURL().value
            try expectPattern(in: file)
            #expect(request.downloadProgress.completed == Int64(Self.count))
            #expect(server.requests.count { $0["Range"] != nil } == 4)
        }
    }

    /// The rest is downloaded by another session.
    @Test(arguments: Wire.allCases) func isContinuedAfterItWasSuspended(wire: Wire) async throws {
        try await withHeldSegments(wire) { request, file, gate, server, _ in
            request.suspend()
            let produced = await request.cancelByProducingResumeData()
            let data = try #require(produced)
            gate.open()
            server.forgetRequests()
            let second = Session(configuration: wire.configuration)
            let resumed = second.download(resumingWith: data, options: [Self.option])
            _ = try await resumed.serializingURL().value
            try expectPattern(in: file)
            #expect(resumed.downloadProgress.completed == Int64(Self.count))
            #expect(server.requests.allSatisfy { $0["Range"] != "bytes=0-" && $0["If-Range"] == "\"1\"" })
            try await assertNothingLeft(second)
        }
    }
}
