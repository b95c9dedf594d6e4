internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// At 1000 bytes per second a body passes in turns of 100 bytes: six at once, and each further one 0.1 s later.
@Suite(.timeLimit(.minutes(5))) struct BandwidthMiddlewareTests {
    private static let kilobyte = String(repeating: "a", count: 1000)

    private static func chunks(_ count: Int, of size: Int) -> MockResponse {
        MockResponse(chunks: Array(repeating: BodyChunk(String(repeating: "a", count: size)), count: count))
    }

    private func test(
        _ limit: TransferRateLimit,
        responding handler: @escaping MockTransport.Handler
    ) -> TestSession {
        TestSession(configuring: { $0.transferRate = limit }, responding: handler)
    }

    /// Advances the clock whenever a body waits, and returns the result of `work`, with its duration.
    private func timed<Value: Sendable>(
        _ test: TestSession,
        waits: Int,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> (Value, Duration) {
        let begin = test.clock.now
        let task = Task { try await work() }
        for _ in 0..<waits {
            await test.clock.waitForSleepers(1)
            test.clock.advance(by: .milliseconds(100))
        }
        let value = try await task.value
        return (value, begin.duration(to: test.clock.now))
    }

    // MARK: Responses

    @Test(arguments: [1, 10]) func holdsADownloadToTheRateOfTheSession(chunkCount: Int) async throws {
        let test = test(TransferRateLimit(download: 1000)) { _ in Self.chunks(chunkCount, of: 1000 / chunkCount) }
        let session = test.session
        let (response, duration) = try await timed(test, waits: 4) { try await session.get("http://h/") }
        #expect(response.data.count == 1000)
        #expect(duration == .milliseconds(400))
        #expect(test.clock.sleeperCount == 0)
        try await assertNothingLeft(session)
    }

    /// Within 10 % over 10 s.
    @Test func holdsALongDownloadToItsRate() async throws {
        let test = test(.unlimited) { _ in Self.chunks(10, of: 10_000) }
        let session = test.session
        let (size, duration) = try await timed(test, waits: 94) {
            let limit = TransferRateLimit(download: 10_000)
            var size = 0
            for try await chunk in try await session.stream("http://h/", options: [limit]).body { size += chunk.count }
            return size
        }
        #expect(size == 100_000)
        #expect(duration == .milliseconds(9400))
        try await assertNothingLeft(session)
    }

    @Test func holdsADownloadToAFile() async throws {
        let folder = try TemporaryFolder()
        let test = test(TransferRateLimit(download: 1000)) { _ in Self.chunks(2, of: 500) }
        let (session, url) = (test.session, folder.url("file"))
        let (file, duration) = try await timed(test, waits: 4) { try await session.download("http://h/", to: url) }
        #expect(file.byteCount == 1000)
        #expect(duration == .milliseconds(400))
        #expect(try folder.names == ["file"])
        try await assertNothingLeft(session)
    }

    @Test(arguments: [(1000, 500), (500, 1000)])
    func appliesTheLowerLimit(sessionRate: Int, requestRate: Int) async throws {
        let test = test(TransferRateLimit(download: sessionRate)) { _ in MockResponse(body: Self.kilobyte) }
        let session = test.session
        let limit = TransferRateLimit(download: requestRate)
        let (response, duration) = try await timed(test, waits: 14) {
            try await session.get("http://h/", options: [limit])
        }
        #expect(response.data.count == 1000)
        #expect(duration == .milliseconds(1400))
        try await assertNothingLeft(session)
    }

    @Test func sharesTheLimitOfTheSession() async throws {
        let test = test(TransferRateLimit(download: 1000)) { _ in Self.chunks(6, of: 100) }
        let session = test.session
        #expect(try await session.get("http://h/").data.count == 600)
        let (response, duration) = try await timed(test, waits: 6) { try await session.get("http://h/") }
        #expect(response.data.count == 600)
        #expect(duration == .milliseconds(600))
        try await assertNothingLeft(session)
    }

    @Test func sharesNoLimitOfARequest() async throws {
        let test = test(.unlimited) { _ in Self.chunks(6, of: 100) }
        for _ in 0..<3 {
            let response = try await test.session.get("http://h/", options: [TransferRateLimit(download: 1000)])
            #expect(response.data.count == 600)
        }
        try await assertNothingLeft(test.session)
    }

    @Test func sharesTheLimitOfARequestAmongItsExchanges() async throws {
        let test = test(.unlimited) { request in
            guard request.target.path == "/" else { return Self.chunks(6, of: 100) }
            return MockResponse(status: .found, fields: [.location: "/there"], body: String(repeating: "b", count: 100))
        }
        let session = test.session
        let limit = TransferRateLimit(download: 1000)
        let (response, duration) = try await timed(test, waits: 1) {
            try await session.get("http://h/", options: [limit])
        }
        #expect(response.data.count == 600)
        #expect(duration == .milliseconds(100))
        try await assertNothingLeft(session)
    }

    @Test func appliesAnOptionOfMiddleware() async throws {
        let limiting = ClosureMiddleware { request, context, next in
            var request = request
            request.options[TransferRateLimit.self] = TransferRateLimit(download: 1000)
            return try await next(request, context: context)
        }
        let test = TestSession(limiting) { _ in MockResponse(body: Self.kilobyte) }
        let session = test.session
        let (_, duration) = try await timed(test, waits: 4) { try await session.get("http://h/") }
        #expect(duration == .milliseconds(400))
        try await assertNothingLeft(session)
    }

    @Test func endsItsWaitWithTheRequest() async throws {
        let test = test(TransferRateLimit(download: 1000)) { _ in MockResponse(body: Self.kilobyte) }
        let call = test.startGet("http://h/")
        await test.clock.waitForSleepers(1)
        call.cancel()
        let error = await failure { try await call.value }
        #expect(error?.code == .cancelled)
        let request = test.session.request("http://h/")
        let task = request.serializingData()
        await test.clock.waitForSleepers(1)
        request.cancel()
        #expect(await task.response.error?.code == .cancelled)
        #expect(test.clock.sleeperCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test func endsItsWaitAtTheDeadline() async throws {
        let test = test(TransferRateLimit(download: 1000)) { _ in Self.chunks(2, of: 500) }
        let response = try await test.session.stream("http://h/", options: [RequestDeadline(.milliseconds(50))])
        let reader = Task { () -> ApusError? in await failure { for try await _ in response.body {} } }
        await test.clock.waitForSleepers(2)
        test.clock.advance(by: .milliseconds(50))
        #expect(await reader.value?.code == .deadlineExceeded)
        try await assertNothingLeft(test.session)
    }

    @Test func keepsTheTrailersOfAResponse() async throws {
        let response = MockResponse(chunks: [BodyChunk("a")], trailers: [.age: "1"])
        let test = test(TransferRateLimit(download: 1000)) { _ in response }
        let stream = try await test.session.stream("http://h/")
        for try await _ in stream.body {}
        #expect(stream.body.trailers == [.age: "1"])
        try await assertNothingLeft(test.session)
    }

    // MARK: Requests

    @Test func holdsAnUploadToItsRate() async throws {
        let test = test(.unlimited) { request in
            #expect(request.body.length == 1000)
            let count = try await request.body.data().count
            return MockResponse(body: "\(count)")
        }
        let session = test.session
        let (response, duration) = try await timed(test, waits: 4) {
            try await session.post(
                "http://h/",
                body: .string(Self.kilobyte),
                options: [TransferRateLimit(upload: 1000)]
            )
        }
        #expect(try response.string() == "1000")
        #expect(duration == .milliseconds(400))
        try await assertNothingLeft(session)
    }

    @Test func holdsAReplayedUploadToTheRateOfTheSession() async throws {
        let test = test(TransferRateLimit(upload: 1000)) { request in
            let count = try await request.body.data().count
            guard request.target.path == "/" else { return MockResponse(body: "\(count)") }
            return MockResponse(status: .temporaryRedirect, fields: [.location: "/there"])
        }
        let session = test.session
        let (response, duration) = try await timed(test, waits: 14) {
            try await session.post("http://h/", body: .string(Self.kilobyte))
        }
        #expect(try response.string() == "1000")
        #expect(duration == .milliseconds(1400))
        try await assertNothingLeft(session)
    }

    @Test func endsTheWaitOfAnUploadWithItsTask() async throws {
        let test = test(TransferRateLimit(upload: 1000)) { request in
            let count = try await request.body.data().count
            return MockResponse(body: "\(count)")
        }
        let session = test.session
        let call = Task { try await session.post("http://h/", body: .string(Self.kilobyte)) }
        await test.clock.waitForSleepers(1)
        call.cancel()
        let error = await failure { try await call.value }
        #expect(error?.code == .cancelled)
        #expect(test.clock.sleeperCount == 0)
        try await assertNothingLeft(session)
    }

    // MARK: The chain

    /// A transport whose responses need no other link.
    private struct PlainTransport: Transport {
        func send(
            _ request: consuming RequestMessage,
            context: RequestContext,
            record: ExchangeRecord
        ) async throws -> ResponseMessage {
            let body = ResponseBody.whole(BodyChunk(BandwidthMiddlewareTests.kilobyte))
            return ResponseMessage(status: .ok, fields: [:], body: body, record: record, isPlain: true)
        }
    }

    /// Sends a request through the link, and returns whether its response is streamed.
    private func isHeld(_ limit: TransferRateLimit, options: RequestOptions) async throws -> Bool {
        let environment = SessionEnvironment(configuration: SessionConfiguration())
        let link = Chain.Link(BandwidthMiddleware(limit, time: ManualClock()))
        let chain = Chain([link], transport: PlainTransport())
        let request = try RequestMessage("http://h/", options: options)
        let response = try await chain(request, context: RequestContext(environment: environment))
        if case .stream = response.body.storage { return true }
        return false
    }

    @Test func handlesPlainResponses() async throws {
        let limit = TransferRateLimit(download: 10)
        #expect(try await isHeld(limit, options: .none))
        #expect(try await isHeld(limit, options: [TransferRateLimit.unlimited]))
        #expect(try await isHeld(.unlimited, options: [limit]))
    }

    @Test func leavesOtherRequestsAlone() async throws {
        let upload = TransferRateLimit(upload: 10)
        #expect(try await !isHeld(.unlimited, options: .none))
        #expect(try await !isHeld(upload, options: [RequestDeadline(nil)]))
        #expect(try await !isHeld(.unlimited, options: [upload]))
        let test = test(TransferRateLimit(download: 10)) { request in
            #expect(request.body.bytesInMemory?.count == 1000)
            return MockResponse(status: .noContent)
        }
        let response = try await test.session.post("http://h/", body: .string(Self.kilobyte))
        #expect(response.status == .noContent)
        try await assertNothingLeft(test.session)
    }
}
