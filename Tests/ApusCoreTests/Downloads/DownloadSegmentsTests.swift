internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Downloads in segments, and the servers whose files are downloaded as usual.
@Suite(.timeLimit(.minutes(5))) struct DownloadSegmentsTests {
    private static let content = RangeOrigin.text(1000)
    private static let origin = RangeOrigin(content)
    private static let option = DownloadSegments(4, minimumBytes: 100)
    private static let url = "http://h/file"

    private func causes(_ metrics: RequestMetrics) -> [String] { metrics.exchanges.map(\.cause.rawValue).sorted() }

    @Test func limitsItsValues() {
        #expect(DownloadSegments() == DownloadSegments(4, minimumBytes: 1 << 20))
        #expect(DownloadSegments(0).count == 1)
        #expect(DownloadSegments(-5).count == 1)
        #expect(DownloadSegments(16).count == DownloadSegments.maximumCount)
        #expect(DownloadSegments(17).count == DownloadSegments.maximumCount)
        #expect(DownloadSegments(minimumBytes: 0).minimumBytes == 1)
        #expect(DownloadSegments(minimumBytes: -1).minimumBytes == 1)
    }

    @Test func fetchesSegmentsAtTheSameTime() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { Self.origin.response(to: $0) }
            let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
            let response = await request.serializingURL().response
            #expect(response.error == nil)
            #expect(try text(file) == Self.content)
            #expect(test.ranges == ["bytes=0-", "bytes=250-499", "bytes=500-749", "bytes=750-999"])
            let conditions = test.transport.requests.map { $0.fields[.ifRange] }
            #expect(conditions.count { $0 == "\"1\"" } == 3)
            let codings = test.transport.requests.map { $0.fields[.acceptEncoding] }
            #expect(codings.allSatisfy { $0 == "identity" })
            #expect(response.response?.status == .partialContent)
            #expect(causes(response.metrics) == ["first", "segment", "segment", "segment"])
            #expect(request.downloadProgress.completed == 1000)
            #expect(request.downloadProgress.total == 1000)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func reportsOneProgressThatNeverGoesBack() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let monitor = RecordingEventMonitor(receivesProgress: true)
            let test = TestSession(configuring: { $0.eventMonitors = [monitor] }) { Self.origin.response(to: $0) }
            let reports = LockedList<Int64>()
            let downloaded = try await test.session.download(Self.url, to: file, options: [Self.option]) { progress in
                reports.append(progress.completed)
            }
            #expect(downloaded.byteCount == 1000)
            #expect(reports.all == reports.all.sorted())
            #expect(reports.all.last == 1000)
            var received: [Int64] = []
            for (_, event) in monitor.events {
                guard case .contentReceived(let count, let total) = event else { continue }
                #expect(total == 1000)
                received.append(count)
            }
            #expect(received == received.sorted())
            #expect(received.last == 1000)
        }
    }

    @Test func limitsTheSegmentsToTheConnections() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession(configuring: { $0.pool.connectionsPerOrigin = 2 }) { Self.origin.response(to: $0) }
            _ = try await test.session.download(Self.url, to: file, options: [Self.option])
            #expect(try text(file) == Self.content)
            #expect(test.ranges == ["bytes=0-", "bytes=500-999"])
        }
    }

    @Test func followsTheRedirectsOfEachSegment() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { request in
                guard request.target.path == "/latest" else { return Self.origin.response(to: request) }
                return MockResponse(status: .found, fields: [.location: "/file"])
            }
            let downloaded = try await test.session.download("http://h/latest", to: file, options: [Self.option])
            #expect(try text(file) == Self.content)
            #expect(downloaded.redirects.count == 1)
            #expect(downloaded.target.path == "/file")
            #expect(test.requestCount == 8)
        }
    }

    // MARK: As usual

    enum Server: String, CaseIterable, Sendable {
        case withoutRanges, withoutAValidator, withAWeakTag
        case withACoding, withoutALength, withAnotherRange, withoutASatisfiableRange, withAShortRange

        /// Whether the first response can be used.
        var isUsable: Bool {
            switch self {
            case .withoutRanges, .withoutAValidator, .withAWeakTag: true
            case .withACoding, .withoutALength, .withAnotherRange, .withoutASatisfiableRange, .withAShortRange: false
            }
        }

        func response(to request: RequestMessage) -> MockResponse {
            var origin = DownloadSegmentsTests.origin
            if self == .withoutAValidator || self == .withAShortRange { origin.tag = nil }
            if self == .withAWeakTag { origin.tag = "W/\"1\"" }
            var whole = request
            whole.fields[.range] = nil
            guard request.fields[.range] != nil, self != .withoutRanges else { return origin.response(to: whole) }
            var response = origin.response(to: request)
            switch self {
            case .withoutRanges, .withoutAValidator, .withAWeakTag: break
            case .withACoding: response.fields[.contentEncoding] = "gzip"
            case .withoutALength: response.fields[.contentRange] = "bytes 0-999/*"
            case .withAnotherRange: response.fields[.contentRange] = "bytes 1-999/1000"
            case .withoutASatisfiableRange: response = MockResponse(status: .rangeNotSatisfiable)
            case .withAShortRange:
                whole.fields[.range] = "bytes=0-499"
                response = origin.response(to: whole)
            }
            return response
        }
    }

    @Test(arguments: Server.allCases) func downloadsAsUsual(server: Server) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { server.response(to: $0) }
            let downloaded = try await test.session.download(Self.url, to: file, options: [Self.option])
            #expect(try text(file) == Self.content)
            #expect(test.ranges == (server.isUsable ? ["bytes=0-"] : ["bytes=0-", "whole"]))
            #expect(causes(downloaded.metrics) == (server.isUsable ? ["first"] : ["first", "restart"]))
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// The server sends at most 300 bytes of each range.
    @Test func completesShortRanges() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { request in
                guard let range = Self.origin.range(of: request) else { return MockResponse(status: .badRequest) }
                var limited = request
                let end = min(range.upperBound, range.lowerBound + 300)
                limited.fields[.range] = "bytes=\(range.lowerBound)-\(end - 1)"
                return Self.origin.response(to: limited)
            }
            _ = try await test.session.download(Self.url, to: file, options: [DownloadSegments(2, minimumBytes: 400)])
            #expect(try text(file) == Self.content)
            #expect(test.ranges == ["bytes=0-", "bytes=300-499", "bytes=500-999", "bytes=800-999"])
        }
    }

    @Test func dividesNoSmallFile() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { Self.origin.response(to: $0) }
            _ = try await test.session.download(
                Self.url,
                to: file,
                options: [DownloadSegments(4, minimumBytes: 501)]
            )
            #expect(try text(file) == Self.content)
            #expect(test.ranges == ["bytes=0-"])
        }
    }

    @Test func requestsNoRangeForOtherRequests() async throws {
        try await inFolder { folder in
            let test = TestSession { Self.origin.response(to: $0) }
            let alone = folder.appending(path: "alone")
            _ = try await test.session.download(Self.url, to: alone, options: [DownloadSegments(1, minimumBytes: 1)])
            let posted = folder.appending(path: "posted")
            _ = try await test.session.download(Self.url, method: .post, to: .file(posted), options: [Self.option])
                .serializingURL().value
            let inMemory = try await test.session.get(Self.url, options: [Self.option])
            #expect(try inMemory.string() == Self.content)
            #expect(test.ranges == ["whole", "whole", "whole"])
            let own = folder.appending(path: "own")
            _ = try await test.session.download(
                Self.url,
                to: own,
                fields: ["Range": "bytes=5-9"],
                options: [Self.option]
            )
            #expect(try text(own) == "fghij")
            #expect(test.transport.requests.last?.fields[.range] == "bytes=5-9")
            #expect(test.requestCount == 4)
        }
    }

    @Test func downloadsAnEmptyFile() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { RangeOrigin("").response(to: $0) }
            _ = try await test.session.download(Self.url, to: file, options: [Self.option])
            #expect(try text(file) == "")
            #expect(test.ranges == ["bytes=0-"])
        }
    }
}
