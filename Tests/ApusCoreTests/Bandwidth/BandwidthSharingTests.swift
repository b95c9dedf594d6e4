internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Requests that share a rate, and rates that hold together.
///
/// At 1000 bytes per second a body passes in turns of 100 bytes: six at once, and each further one 0.1 s later.
@Suite(.timeLimit(.minutes(5))) struct BandwidthSharingTests {
    private typealias Work = @Sendable () async throws -> Void

    private static let down = TransferRateLimit(download: 1000)

    private static func text(_ byteCount: Int) -> String { String(repeating: "a", count: byteCount) }

    /// Returns a response whose body has chunks of 100 bytes.
    private static func response(_ byteCount: Int, failure: ApusError? = nil) -> MockResponse {
        MockResponse(chunks: Array(repeating: BodyChunk(text(100)), count: byteCount / 100), failure: failure)
    }

    /// Returns a session whose responses have the number of bytes in the path of the request, after its body was read.
    private func test(_ limit: TransferRateLimit) -> TestSession {
        TestSession(configuring: { $0.transferRate = limit }) { request in
            _ = try await request.body.data()
            return Self.response(Int(request.target.path.dropFirst()) ?? 0)
        }
    }

    /// Does several works at the same time, and advances the clock only while all of them wait.
    ///
    /// - Returns: The time until the end of each.
    private func durations(
        _ test: TestSession,
        step: Duration = .milliseconds(100),
        of works: [Work]
    ) async throws -> [Duration] {
        let clock = test.clock
        let begin = clock.now
        let runningCount = LockedValue(works.count)
        let tasks = works.map { work in
            Task { () async throws -> Duration in
                defer { _ = runningCount.increased(by: -1) }
                try await work()
                return begin.duration(to: clock.now)
            }
        }
        while true {
            // Read first: a work that ends in between must not make the others look as if all of them wait.
            let count = runningCount.value
            guard count > 0 else { break }
            if clock.sleeperCount >= count { clock.advance(by: step) }
            await Task.yield()
        }
        var durations: [Duration] = []
        for task in tasks { durations.append(try await task.value) }
        return durations
    }

    // MARK: Several requests

    @Test(arguments: [2, 3, 5]) func sharesTheRateAmongDownloads(count: Int) async throws {
        let test = test(Self.down)
        let session = test.session
        let work: Work = {
            let response = try await session.get("http://h/600")
            #expect(response.data.count == 600)
        }
        let ends = try await durations(test, of: Array(repeating: work, count: count))
        #expect(ends.max() == .milliseconds(600 * (count - 1)))
        try await assertNothingLeft(session)
    }

    @Test(arguments: [2, 3]) func sharesTheRateAmongUploads(count: Int) async throws {
        let test = test(TransferRateLimit(upload: 1000))
        let session = test.session
        let work: Work = {
            let response = try await session.post("http://h/100", body: .string(Self.text(600)))
            #expect(response.data.count == 100)
        }
        let ends = try await durations(test, of: Array(repeating: work, count: count))
        #expect(ends.max() == .milliseconds(600 * (count - 1)))
        try await assertNothingLeft(session)
    }

    /// The slow request gets its own rate, and the other one the rest.
    @Test func leavesTheRestOfTheRateToOthers() async throws {
        let test = test(Self.down)
        let session = test.session
        let ends = try await durations(
            test,
            step: .milliseconds(10),
            of: [
                { _ = try await session.get("http://h/500", options: [TransferRateLimit(download: 100)]) },
                { _ = try await session.get("http://h/1000") },
            ]
        )
        #expect(ends[0] >= .milliseconds(4400))
        #expect(ends[0] <= .milliseconds(4700))
        #expect(ends[1] >= .milliseconds(400))
        #expect(ends[1] <= .milliseconds(600))
        try await assertNothingLeft(session)
    }

    /// The 100 bytes that the cancelled request waited for are left to the next one.
    @Test(arguments: [true, false]) func givesTheTurnOfACancelledRequestToTheNext(isHandle: Bool) async throws {
        let test = test(Self.down)
        let session = test.session
        if isHandle {
            let request = session.request("http://h/1000")
            let task = request.serializingData()
            await test.clock.waitForSleepers(1)
            request.cancel()
            #expect(await task.response.error?.code == .cancelled)
        } else {
            let call = test.startGet("http://h/1000")
            await test.clock.waitForSleepers(1)
            call.cancel()
            #expect(await failure { try await call.value }?.code == .cancelled)
        }
        #expect(await eventually { test.clock.sleeperCount == 0 })
        let ends = try await durations(test, of: [{ _ = try await session.get("http://h/100") }])
        #expect(ends == [.milliseconds(100)])
        try await assertNothingLeft(session)
    }

    @Test func takesNothingWhileItIsSuspended() async throws {
        let test = test(Self.down)
        let session = test.session
        let request = session.request("http://h/2000")
        let task = request.serializingData()
        await test.clock.waitForSleepers(1)
        request.suspend()
        // The turn that it waits for still passes.
        test.clock.advance(by: .milliseconds(100))
        #expect(await eventually { session.liveCounts["continuations"] == 1 })
        #expect(request.downloadProgress.completed == 700)
        let ends = try await durations(test, of: [{ _ = try await session.get("http://h/600") }])
        #expect(ends == [.milliseconds(600)])
        #expect(request.downloadProgress.completed == 700)
        request.resume()
        let rest = try await durations(test, of: [{ _ = try await task.value }])
        #expect(rest == [.milliseconds(1300)])
        #expect(request.downloadProgress.completed == 2000)
        try await assertNothingLeft(session)
    }

    @Test func endsItsWaitWhenItIsCancelledWhileItIsSuspended() async throws {
        let test = test(Self.down)
        let request = test.session.request("http://h/2000")
        let task = request.serializingData()
        await test.clock.waitForSleepers(1)
        request.suspend()
        request.cancel()
        #expect(await task.response.error?.code == .cancelled)
        try await assertNothingLeft(test.session)
    }

    // MARK: Both directions

    /// An upload of 0.4 s, and then a download of 0.4 s.
    @Test func limitsBothDirectionsOfARequest() async throws {
        let test = test(TransferRateLimit(download: 1000, upload: 1000))
        let session = test.session
        let ends = try await durations(
            test,
            of: [{ _ = try await session.post("http://h/1000", body: .string(Self.text(1000))) }]
        )
        #expect(ends == [.milliseconds(800)])
        try await assertNothingLeft(session)
    }

    @Test func limitsEachDirectionByItself() async throws {
        let test = test(TransferRateLimit(download: 1000, upload: 1000))
        let session = test.session
        let ends = try await durations(
            test,
            of: [
                { _ = try await session.post("http://h/0", body: .string(Self.text(1000))) },
                { _ = try await session.get("http://h/1000") },
            ]
        )
        #expect(ends == [.milliseconds(400), .milliseconds(400)])
        try await assertNothingLeft(session)
    }

    @Test(arguments: [(1000, 500), (500, 1000)])
    func appliesTheLowerLimitToAnUpload(sessionRate: Int, requestRate: Int) async throws {
        let test = test(TransferRateLimit(upload: sessionRate))
        let session = test.session
        let limit = TransferRateLimit(upload: requestRate)
        let ends = try await durations(
            test,
            of: [{ _ = try await session.post("http://h/0", body: .string(Self.text(1000)), options: [limit]) }]
        )
        #expect(ends == [.milliseconds(1400)])
        try await assertNothingLeft(session)
    }

    // MARK: Several exchanges

    @Test func sharesTheRateOfARequestAmongItsRetries() async throws {
        let test = TestSession.retrying { _, number in
            Self.response(600, failure: number == 1 ? ApusError(.connectionClosed, "gone") : nil)
        }
        let session = test.session
        let work: Work = {
            let response = try await session.get("http://h/", options: [Self.down])
            #expect(response.data.count == 600)
        }
        let ends = try await durations(test, of: [work])
        #expect(test.requestCount == 2)
        #expect(ends == [.milliseconds(600)])
        try await assertNothingLeft(session)
    }

    /// A middleware halves the rate of a request that is under way. The new rate begins with credit of its own.
    @Test func appliesAChangedLimitToTheNextExchange() async throws {
        let limiting = ClosureMiddleware { request, context, next in
            var request = request
            let isFirst = request.target.path == "/first"
            request.options[TransferRateLimit.self] = TransferRateLimit(download: isFirst ? 1000 : 500)
            return try await next(request, context: context)
        }
        let test = TestSession(limiting) { request in
            guard request.target.path == "/first" else { return Self.response(600) }
            return MockResponse(status: .found, fields: [.location: "/second"])
        }
        let session = test.session
        let ends = try await durations(test, of: [{ _ = try await session.get("http://h/first") }])
        #expect(test.paths == ["/first", "/second"])
        #expect(ends == [.milliseconds(600)])
        try await assertNothingLeft(session)
    }
}
