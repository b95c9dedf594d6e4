internal import Apus
internal import ApusTestServer
internal import ApusTesting
internal import Foundation

/// Stops about downloads that are interrupted.
enum Downloads {
    /// The server closes the connection after 4 MiB, twice. Each retry requests the rest.
    static func resumed(_ environment: TourEnvironment) async throws -> Finding {
        let visits = Counter()
        let cutting: @Sendable (TestRequest) async -> TestResponse = { request in
            visits.increment()
            var response = RangedFile.response(to: request)
            if visits.value <= 2 { response.abortsAfterBodyBytes = 4 << 20 }
            return response
        }
        return try await TestServer.with(behavior: .handler(cutting)) { server in
            let file = environment.folder.appending(path: "resumed")
            let digest = try ExpectedDigest.sha256(RangedFile.sha256)
            let request = environment.session.download(
                server.url(RangedFile.path),
                to: .file(file, options: .resumePartialFile),
                options: [digest]
            )
            .validate()
            .retry(using: RetryPolicy(retryLimit: 2, scale: .zero))
            _ = try await request.serializingURL().value
            try check(file)

            let exchanges = request.metrics.exchanges
            try expect(exchanges.map(\.cause), is: [.first, .retry, .retry], "the causes")
            let ranges = server.requests.map { $0["Range"] }
            try expect(ranges, is: [nil, "bytes=4194304-", "bytes=8388608-"], "the requested ranges")
            let conditions = server.requests.map { $0["If-Range"] }
            try expect(conditions, is: [nil, RangedFile.tag, RangedFile.tag], "the version of the file")
            var finding = Finding("cut twice, resumed, SHA-256 matches", exchanges)
            let names = ["from 0", "from 4 MiB", "from 8 MiB"]
            finding.picture = Waterfall(exchanges: exchanges.map { [$0] }, names: names)
            return finding
        }
    }

    /// Another process runs a queue, and is killed while it downloads. This process runs the queue again.
    static func killed(_ environment: TourEnvironment) async throws -> Finding {
        let visits = Counter()
        let stalling: @Sendable (TestRequest) async -> TestResponse = { request in
            visits.increment()
            return visits.value == 1 ? RangedFile.stalledResponse(to: request) : RangedFile.response(to: request)
        }
        let monitor = RecordingEventMonitor()
        var configuration = environment.session.configuration
        configuration.eventMonitors = [monitor]
        let session = Session(configuration: configuration)
        return try await TestServer.with(behavior: .handler(stalling)) { server in
            let folder = environment.folder.appending(path: "queue")
            let file = environment.folder.appending(path: "queued")
            let part = environment.folder.appending(path: "queued.part")
            let queue = try TransferQueue(folder: folder, session: session)
            let digest = try ExpectedDigest.sha256(RangedFile.sha256)
            try await queue.add(Transfer(server.url(RangedFile.path), to: file, expectedDigest: digest))
            try await QueueProcess.runAndKill(folder) { size(of: part) >= 1 << 20 }
            let kept = size(of: part)
            let states = try await queue.transfers.map(\.state)
            try expect(states, is: [.running], "the transfer of the killed process")

            try await queue.run()
            let transfer = try await queue.transfers.first
            try await assertNothingLeft(session)
            try expect(transfer?.file?.sha256, is: RangedFile.sha256, "the SHA-256 of the file")
            try check(file)
            let exchanges = monitor.events.compactMap { posted -> ExchangeMetrics? in
                guard case .exchangeEnded(let record) = posted.event else { return nil }
                return record.metrics
            }
            let received = exchanges.reduce(Int64(0)) { $0 + $1.responseBodyBytes }
            let repeated = kept + received - Int64(RangedFile.byteCount)
            try expect(repeated, is: 0, "the bytes of the part that were fetched again")
            return Finding("SIGKILL at \(kept >> 20) of 12 MiB; \(repeated) bytes again", exchanges)
        }
    }

    /// Four requests share the file over as many connections, each of which is slow.
    static func segments(_ environment: TourEnvironment) async throws -> Finding {
        let slow: @Sendable (TestRequest) async -> TestResponse = { RangedFile.slowResponse(to: $0) }
        let session = Session(configuration: environment.session.configuration)
        return try await TestServer.with(behavior: .handler(slow)) { server in
            let file = environment.folder.appending(path: "segments")
            let digest = try ExpectedDigest.sha256(RangedFile.sha256)
            let request = session.download(
                server.url(RangedFile.path),
                to: .file(file),
                options: [DownloadSegments(4), digest]
            )
            .validate()
            _ = try await request.serializingURL().value
            try await assertNothingLeft(session)
            try check(file)
            let exchanges = request.metrics.exchanges
            try expect(exchanges.count >= 4, "4 exchanges", found: exchanges)
            let connections = Set(exchanges.compactMap(\.connectionNumber))
            try expect(connections.count > 1, "several connections", found: connections)
            var finding = Finding("12 MiB over \(connections.count) connections at once", exchanges)
            finding.picture = Waterfall(exchanges: exchanges.map { [$0] }, names: exchanges.map(\.cause.rawValue))
            return finding
        }
    }

    /// Checks that a file is whole and right.
    static func check(_ file: URL) throws {
        let content = try Data(contentsOf: file)
        try expect(content == RangedFile.content, "the bytes of the server", found: "\(content.count) others")
    }

    /// Returns the size of a file that another process writes, or 0 if there is none.
    private static func size(of file: URL) -> Int64 {
        guard let handle = try? FileHandle(forReadingFrom: file), let end = try? handle.seekToEnd() else { return 0 }
        return Int64(end)
    }
}
