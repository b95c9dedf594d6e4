internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestResponseTests {
    /// Parity: AF-life-on-response
    @Test func reportsTheHeadBeforeTheBody() async throws {
        let queue = DispatchQueue(label: "apus.tests.head")
        let barrier = Barrier()
        let source = HeldBody(["a", "b"], before: 1, barrier)
        let session = Session(transport: BodyTransport { _ in .stream(source) })
        let statuses = LockedList<Int>()
        let request = session.request("http://h/").onHTTPResponse(on: queue) { statuses.append($0.status.code) }
            .resume()
        await barrier.reached()
        #expect(await eventually { statuses.all == [200] })
        barrier.open()
        #expect(try await request.serializingString().value == "ab")
        try await assertNothingLeft(session)
    }

    /// Parity: AF-life-on-response, AF-fault-disposition
    @Test func isCancelledByItsHandler() async throws {
        let test = TestSession { _ in MockResponse(status: 404, chunks: [BodyChunk("a"), BodyChunk("b")]) }
        let request = test.session.request("http://h/").onHTTPResponse { $0.status == .ok ? .allow : .cancel }
        let response = await request.serializingData().response
        #expect(response.error?.code == .cancelled)
        #expect(response.error?.responseCode == 404)
        #expect(request.isCancelled)
        let other = test.session.request("http://h/").onHTTPResponse { _ in .allow }
        #expect(try await other.serializingString().value == "ab")
        try await assertNothingLeft(test.session)
    }

    // MARK: Sequences

    /// Parity: AF-life-on-response
    @Test func yieldsTheHeadOfEachAttempt() async throws {
        let isRefused = Lock(true)
        let test = TestSession { request in
            if request.target.path == "/a" { return MockResponse(status: .found, fields: [.location: "/b"]) }
            let isFirst = isRefused.withLock { refuses in
                defer { refuses = false }
                return refuses
            }
            return MockResponse(status: isFirst ? .serviceUnavailable : .ok, body: "ok")
        }
        let retrier = Retrier { attempt, _ in attempt.retryCount == 0 ? .retry : .doNotRetry }
        let request = test.session.request("http://h/a").validate().retry(using: retrier)
        let (first, second) = (request.httpResponses(), request.httpResponses(bufferingPolicy: .bufferingNewest(1)))
        #expect(try await request.serializingString().value == "ok")
        var statuses: [Int] = []
        for await response in first { statuses.append(response.status.code) }
        #expect(statuses == [503, 200])
        statuses = []
        for await response in second { statuses.append(response.status.code) }
        #expect(statuses == [200])
        for await response in request.httpResponses() { Issue.record("\(response.status) after the end") }
        try await assertNothingLeft(test.session)
    }

    @Test func yieldsTheHeadBeforeTheBody() async throws {
        let barrier = Barrier()
        let session = Session(transport: BodyTransport { _ in .stream(HeldBody(["a", "b"], before: 1, barrier)) })
        let request = session.request("http://h/")
        var heads = request.httpResponses().makeAsyncIterator()
        request.resume()
        #expect(await heads.next()?.status == .ok)
        await barrier.reached()
        barrier.open()
        #expect(try await request.serializingString().value == "ab")
        #expect(await heads.next() == nil)
        try await assertNothingLeft(session)
    }

    @Test func endsASequenceWithoutAResponse() async throws {
        let test = TestSession { _ in throw ApusError(.connectFailed, "no answer") }
        let failed = test.session.request("http://h/")
        let heads = failed.httpResponses()
        _ = await failed.serializingData().result
        for await response in heads { Issue.record("\(response.status) of a request that failed") }
        let unsent: AsyncStream<HTTPResponse>
        do {
            let released = test.session.request("http://h/")
            unsent = released.httpResponses()
        }
        for await response in unsent { Issue.record("\(response.status) of a request that was not sent") }
        try await assertNothingLeft(test.session)
    }

    @Test func isNotCancelledWithTheReaderOfItsHeads() async throws {
        let barrier = Barrier()
        let session = Session(transport: BodyTransport { _ in .stream(HeldBody(["a", "b"], before: 1, barrier)) })
        let request = session.request("http://h/")
        let isReading = Deferred<Void>()
        let heads = request.httpResponses()
        let reader = Task {
            for await _ in heads { isReading.fulfill(()) }
        }
        let task = request.serializingString()
        await isReading.value
        reader.cancel()
        await reader.value
        barrier.open()
        #expect(try await task.value == "ab")
        try await assertNothingLeft(session)
    }

    // MARK: Validators

    @Test func isValidatedByItsHead() async throws {
        struct Refusal: Error {}
        let test = TestSession(configuring: { $0.limits.collectedBodyBytes = 1 }) { _ in
            MockResponse(fields: [.server: "old"], chunks: [BodyChunk("long"), BodyChunk("er")])
        }
        let request = test.session.request("http://h/a").validate { request, response in
            request.target.path == "/a" && response.headerFields[.server] == "old" ? .failure(Refusal()) : .success(())
        }
        let error = await request.serializingData().response.error
        #expect(error?.code == .validationFailed)
        #expect(error?.underlying is Refusal)
        #expect(error?.data == Data("longer".utf8))
        try await assertNothingLeft(test.session)
    }

    @Test func hasTheLastTarget() async throws {
        let test = TestSession { request in
            request.target.path == "/a"
                ? MockResponse(status: .found, fields: [.location: "/b"]) : MockResponse(status: 202)
        }
        let session = test.session
        let response = await session.request("http://h/a").serializingData().response
        #expect(response.target?.path == "/b" && response.statusCode == 202)
        let direct = try await session.get("http://h/a")
        #expect(direct.target.path == "/b" && direct.statusCode == 202)
        let unsent = await session.request("nonsense").serializingData().response
        #expect(unsent.target == nil && unsent.statusCode == nil)
        try await assertNothingLeft(session)
    }

    @Test func isRelativeToTheBaseURL() async throws {
        for base in ["http://user:pass@h/v1", "http://user:pass@h/v1/", "http://user:pass@h/v1?x"] {
            let test = TestSession(configuring: { $0.baseURL = base }) { _ in MockResponse() }
            let session = test.session
            _ = try await session.get("users/1")
            _ = try await session.get("/users?a=b", query: [URLQueryItem(name: "c", value: "d")])
            _ = try await session.get("https://other/x")
            _ = try await session.stream("s")
            _ = await session.request("r").serializingData().response
            _ = try await session.post("p", parameters: ["a": "b"])
            _ = await session.request("q", parameters: ["a": "b"]).serializingData().response
            let paths = test.transport.requests.map { "\($0.target.origin)\($0.target.path)" }
            #expect(
                paths == [
                    "http://h/v1/users/1", "http://h/users?a=b&c=d", "https://other/x", "http://h/v1/s",
                    "http://h/v1/r",
                    "http://h/v1/p", "http://h/v1/q?a=b",
                ]
            )
            #expect(test.transport.requests[0].fields.contains(.authorization))
            #expect(!test.transport.requests[2].fields.contains(.authorization))
            try await assertNothingLeft(session)
        }
    }

    @Test func failsWithAnInvalidBaseURL() async throws {
        let test = TestSession(configuring: { $0.baseURL = "nonsense" }) { _ in MockResponse() }
        let session = test.session
        #expect(await failure { try await session.get("users") }?.code == .invalidURL)
        #expect(await session.request("users").serializingData().response.error?.code == .invalidURL)
        #expect(
            await session.request("users", parameters: ["a": 1]).serializingData().response.error?.code == .invalidURL
        )
        try await assertNothingLeft(session)
    }
}
