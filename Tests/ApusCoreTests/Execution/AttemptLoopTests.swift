internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The attempts of a direct call, a handle and a stream.
@Suite(.timeLimit(.minutes(5))) struct AttemptLoopTests {
    private struct Fault: Error {}

    private static let attempts = HTTPField.Name.from

    enum CallStyle: CaseIterable {
        case direct, handle, stream

        func status(_ session: Session, options: RequestOptions = .none) async throws -> Int {
            switch self {
            case .direct: return try await session.get("http://h/", options: options).status.code
            case .handle:
                let response = await session.request("http://h/", options: options).serializingData().response
                _ = try response.result.get()
                return response.response?.status.code ?? 0
            case .stream:
                let response = try await session.stream("http://h/", options: options)
                for try await _ in response.body {}
                return response.status.code
            }
        }
    }

    /// Adds the number of earlier attempts to each request.
    private static let counting = Adapter { request, context in
        var request = request
        request.fields[attempts] = "\(context.retryCount)"
        return request
    }

    private static func retrying(_ times: Int) -> Retrier {
        Retrier { attempt, _ in attempt.retryCount < times ? .retry : .doNotRetry }
    }

    /// Returns a session whose transport fails that many times before it responds.
    private func failing(_ times: Int, _ interceptor: (any RequestInterceptor)? = nil) -> TestSession {
        let count = Counter()
        return TestSession(configuring: { $0.interceptor = interceptor }) { _ in
            guard count.next() >= times else { throw ApusError(.connectionClosed, "it went away") }
            return MockResponse(body: "ok")
        }
    }

    // MARK: Adapters

    /// Parity: AF-intercept-adapter, AF-intercept-session
    @Test(arguments: CallStyle.allCases) private func adaptsInOrderSessionFirst(_ style: CallStyle) async throws {
        func mark(_ text: String) -> Adapter {
            Adapter { request, _ in
                var request = request
                request.fields.append(HTTPField(name: Self.attempts, value: text))
                return request
            }
        }
        let test = TestSession.configured { $0.interceptor = Interceptor(adapters: [mark("1"), mark("2")]) }
        _ = try await style.status(test.session, options: [Interceptor(adapters: [mark("3")])])
        #expect(test.transport.requests.first?.fields[values: Self.attempts] == ["1", "2", "3"])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-intercept-chain
    @Test func adaptsAHandleInTheOrderOfItsChain() async throws {
        func mark(_ text: String) -> Adapter {
            Adapter { request, _ in
                var request = request
                request.fields.append(HTTPField(name: Self.attempts, value: text))
                return request
            }
        }
        let test = TestSession.configured { $0.interceptor = Interceptor(adapters: [mark("1")]) }
        let request = test.session.request("http://h/", options: [Interceptor(adapters: [mark("2")])])
            .adapt(using: mark("3")).interceptor(Interceptor(adapters: [mark("4")]))
        _ = try await request.serializingData().value
        #expect(test.transport.requests.first?.fields[values: Self.attempts] == ["1", "2", "3", "4"])
        #expect(request.request?.fields[values: Self.attempts] == ["1", "2", "3", "4"])
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: CallStyle.allCases) private func adaptsEachAttemptAfresh(_ style: CallStyle) async throws {
        let test = failing(2, Interceptor(adapters: [Self.counting], retriers: [Self.retrying(5)]))
        #expect(try await style.status(test.session) == 200)
        #expect(test.transport.requests.map { $0.fields[values: Self.attempts] } == [["0"], ["1"], ["2"]])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-intercept-failure
    @Test(arguments: CallStyle.allCases) private func throwsTheErrorOfAnAdapter(_ style: CallStyle) async throws {
        let last = LockedList<String>()
        let interceptor = Interceptor(adapters: [
            Adapter { _, _ in throw Fault() },
            Adapter { request, _ in
                last.append("called")
                return request
            },
        ])
        let test = TestSession.configured { $0.interceptor = interceptor }
        let error = await failure { try await style.status(test.session) }
        #expect(error?.code == .adaptationFailed && error?.underlying is Fault && error?.url == "http://h/")
        #expect(last.all.isEmpty && test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test func offersTheFailureOfAnAdapterOnce() async throws {
        let offered = LockedList<ApusError.Code>()
        let count = Counter()
        let interceptor = Interceptor(
            adapters: [
                Adapter { request, _ in
                    if count.next() == 0 { throw Fault() }
                    return request
                }
            ],
            retriers: [
                Retrier { _, error in
                    offered.append(error.code)
                    return .retry
                }
            ]
        )
        let test = TestSession.configured { $0.interceptor = interceptor }
        #expect(try await test.session.get("http://h/").status == .ok)
        #expect(offered.all == [.adaptationFailed])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-intercept-validated
    @Test func validatesAnAdaptedRequest() async throws {
        let test = TestSession.configured {
            $0.interceptor = Interceptor(adapters: [
                Adapter { request, _ in
                    var request = request
                    request.body = .string("content")
                    return request
                }
            ])
        }
        let error = await failure { try await test.session.get("http://h/") }
        #expect(error?.code == .invalidRequest)
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: CallStyle.allCases) private func adaptsSynchronously(_ style: CallStyle) async throws {
        let synchronous = Adapter.synchronous { request, context in
            request.fields[Self.attempts] = "\(context.retryCount)"
        }
        let test = failing(1, Interceptor(adapters: [synchronous, synchronous], retriers: [Self.retrying(1)]))
        #expect(try await style.status(test.session) == 200)
        #expect(test.transport.requests.map { $0.fields[values: Self.attempts] } == [["0"], ["1"]])
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: CallStyle.allCases)
    private func throwsTheErrorOfASynchronousAdapter(_ style: CallStyle) async throws {
        let test = TestSession.configured {
            $0.interceptor = Interceptor(adapters: [Adapter.synchronous { _, _ in throw Fault() }])
        }
        let error = await failure { try await style.status(test.session) }
        #expect(error?.code == .adaptationFailed && error?.underlying is Fault && error?.url == "http://h/")
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test func mixesSynchronousAndAsynchronousAdapters() async throws {
        let synchronous = Adapter.synchronous { request, _ in request.fields[.from]? += "2" }
        let asynchronous = Adapter { request, _ in
            var request = request
            request.fields[.from] = "1"
            return request
        }
        let test = TestSession.configured { $0.interceptor = Interceptor(adapters: [asynchronous, synchronous]) }
        _ = try await test.session.get("http://h/")
        #expect(test.transport.requests.first?.fields[.from] == "12")
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-intercept-adapter-closure
    @Test func supportsAdaptersWithACallback() async throws {
        let adapter = Adapter { request, _, completion in
            var changed = request
            changed.fields[.from] = "callback"
            let result = changed
            DispatchQueue.global().async {
                completion(.success(result))
                completion(.failure(Fault()))
            }
        }
        let test = TestSession.configured { $0.interceptor = Interceptor(adapters: [adapter]) }
        _ = try await test.session.get("http://h/")
        #expect(test.transport.requests.first?.fields[.from] == "callback")
        try await assertNothingLeft(test.session)
    }

    // MARK: Retriers

    /// Parity: AF-intercept-retrier
    @Test(arguments: CallStyle.allCases) private func retriesUntilItSucceeds(_ style: CallStyle) async throws {
        let test = failing(2, Interceptor(retriers: [Self.retrying(2)]))
        #expect(try await style.status(test.session) == 200)
        #expect(test.transport.requests.count == 3)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-life-requests
    @Test(arguments: CallStyle.allCases) private func endsWithTheLastFailure(_ style: CallStyle) async throws {
        let test = failing(9, Interceptor(retriers: [Self.retrying(2)]))
        let error = await failure { try await style.status(test.session) }
        #expect(error?.code == .connectionClosed && error?.exchanges.map(\.cause) == [.first, .retry, .retry])
        #expect(test.transport.requests.count == 3)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-retry-results, AF-retry-error
    @Test func usesTheFirstDecisiveRetrier() async throws {
        let offered = LockedList<Int>()
        func retrier(_ number: Int, _ result: RetryResult) -> Retrier {
            Retrier { _, _ in
                offered.append(number)
                return result
            }
        }
        let retriers = [retrier(1, .doNotRetry), retrier(2, .doNotRetryWithError(Fault()))]
        let test = failing(9, Interceptor(retriers: retriers))
        let error = await failure {
            try await test.session.get("http://h/", options: [Interceptor(retriers: [retrier(3, .retry)])])
        }
        #expect(offered.all == [1, 2])
        #expect(error?.code == .retryFailed)
        let cause = error?.underlying as? RetryFailure
        #expect(cause?.retryError is Fault && cause?.originalError?.code == .connectionClosed)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: CallStyle.allCases) private func waitsByTheClockOfTheSession(_ style: CallStyle) async throws {
        let test = failing(1, Interceptor(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(5)) }]))
        let session = test.session
        async let status = style.status(session)
        await test.clock.waitForSleepers(1)
        #expect(test.transport.requests.count == 1)
        #expect(session.requestCounts.inFlight == 0)
        test.clock.advance(by: .seconds(5))
        #expect(try await status == 200)
        try await assertNothingLeft(test.session)
    }

    @Test func retriesASuccessThatARetrierReconsiders() async throws {
        let polling = Retrier(reconsidering: { $0.response?.status == .accepted ? .retry : .doNotRetry })
        for style in CallStyle.allCases {
            let count = Counter()
            let test = TestSession(configuring: { $0.interceptor = Interceptor(retriers: [polling]) }) { _ in
                MockResponse(status: count.next() < 2 ? .accepted : .ok, body: "x")
            }
            #expect(try await style.status(test.session) == 200)
            #expect(test.transport.requests.count == 3)
            try await assertNothingLeft(test.session)
        }
    }

    /// Parity: AF-fault-cancelled-retry, AF-cancel-no-retry
    @Test(arguments: [false, true]) func offersNoCancelledRequestToRetriers(isDownload: Bool) async throws {
        let offered = LockedList<ApusError.Code>()
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) {
            $0.interceptor = Interceptor(retriers: [
                Retrier { _, error in
                    offered.append(error.code)
                    return .retry
                }
            ])
        }
        let session = test.session
        let request: any Request =
            isDownload ? session.download("http://h/", to: .temporary) : session.request("http://h/")
        request.resume()
        await barrier.reached()
        request.cancel()
        #expect(await eventually { test.monitor.names(of: request.id).last == "finished" })
        #expect(request.error?.code == .cancelled)
        #expect(offered.all.isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test func rejectsARetryOfAConsumedOneShotBody() async throws {
        let test = failing(1, Interceptor(retriers: [Self.retrying(1)]))
        let body = RequestBody.once(AsyncStream { $0.finish() })
        if case .once(let once) = body.storage { _ = try once.open() }
        let error = await failure { try await test.session.put("http://h/", body: body) }
        #expect(error?.code == .bodyNotReplayable && (error?.underlying as? ApusError)?.code == .connectionClosed)
        #expect(error?.detail.contains("the retry") == true)
        #expect(test.transport.requests.count == 1)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-retry-afresh
    @Test func rebuildsACustomRequestForEachAttempt() async throws {
        struct Numbered: RequestConvertible {
            let count: Counter
            func asRequest() throws -> RequestMessage { try RequestMessage("http://h/\(count.next())") }
        }
        let test = failing(2, Interceptor(retriers: [Self.retrying(2)]))
        _ = try await test.session.request(Numbered(count: Counter())).serializingData().value
        #expect(test.transport.requests.map(\.target.path) == ["/0", "/1", "/2"])
        try await assertNothingLeft(test.session)
    }

    // MARK: Serializers

    /// Parity: AF-retry-serializers, AF-retry-count, AF-fault-retriers-once
    @Test func offersASerializerFailureOnceAndRerunsAllSerializers() async throws {
        let offered = LockedList<ApusError.Code>()
        let count = Counter()
        let retrier = Retrier { _, error in
            offered.append(error.code)
            return .retry
        }
        let barrier = Barrier()
        let test = TestSession(configuring: { $0.interceptor = Interceptor(retriers: [retrier]) }) { _ in
            // The first handler starts the request. The others must be added before the first response.
            await barrier.pass()
            return MockResponse(body: count.next() == 0 ? "?" : "[1]")
        }
        let request = test.session.request("http://h/")
        let handlerCalls = LockedList<Int>()
        request.responseString(queue: .global()) { _ in handlerCalls.append(1) }
        let first = request.serializingDecodable([Int].self)
        let second = request.serializingDecodable([Int].self)
        barrier.open()
        #expect(try await first.value == [1])
        #expect(try await second.value == [1])
        #expect(offered.all == [.decodingFailed])
        #expect(request.retryCount == 1)
        #expect(await eventually { handlerCalls.count == 1 })
        try await assertNothingLeft(test.session)
        #expect(handlerCalls.count == 1)
    }

    /// Two serializers fail, each with a different error.
    @Test func offersTheFirstFailureOfSeveralSerializers() async throws {
        let offered = LockedList<ApusError.Code>()
        let retrier = Retrier { _, error in
            offered.append(error.code)
            return .doNotRetry
        }
        let test = TestSession(configuring: { $0.interceptor = Interceptor(retriers: [retrier]) }) { _ in
            MockResponse(chunks: [BodyChunk([0xFF])])
        }
        let request = test.session.request("http://h/")
        request.suspend()
        let text = request.serializingString(encoding: .utf8)
        let number = request.serializingDecodable(Int.self)
        request.resume()
        #expect(await text.response.error?.code == .stringDecodingFailed)
        #expect(await number.response.error?.code == .decodingFailed)
        #expect(offered.all == [.stringDecodingFailed])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-life-order, AF-life-created, AF-life-task-created
    @Test func reportsLifeCycleEventsInOrder() async throws {
        let test = failing(1, Interceptor(adapters: [Self.counting], retriers: [Self.retrying(1)]))
        let request = test.session.request("http://h/")
        _ = try await request.serializingString().value
        #expect(await eventually { test.names(of: request).last == "finished" })
        #expect(
            test.names(of: request) == [
                "resumed", "created", "adapted", "exchangeBegan", "exchangeEnded", "completed", "retrying", "created",
                "adapted", "exchangeBegan", "exchangeEnded", "responded", "validated", "completed", "serialized",
                "finished",
            ]
        )
        try await assertNothingLeft(test.session)
    }

    @Test func removesTheFileOfARetriedDownload() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "file")
            let count = Counter()
            let seen = LockedList<Bool>()
            let retrier = Retrier(reconsidering: { attempt in
                guard let file = attempt.fileURL else { return .doNotRetry }
                seen.append(FileManager.default.fileExists(atPath: file.path))
                return attempt.retryCount == 0 ? .retry : .doNotRetry
            })
            let test = TestSession(configuring: { $0.interceptor = Interceptor(retriers: [retrier]) }) { _ in
                MockResponse(body: "\(count.next())")
            }
            let text = try await test.session.download("http://h/", to: .file(url)).serializingString().value
            #expect(text == "1")
            #expect(seen.all == [true, true])
            #expect(try String(contentsOf: url, encoding: .utf8) == "1")
            try await assertNothingLeft(test.session)
        }
    }

    private func completions(_ test: TestSession) -> [ApusError.Code?] {
        test.monitor.events.compactMap { event -> ApusError.Code?? in
            if case .completed(let response) = event.event { .some(response.error?.code) } else { nil }
        }
    }

    /// Monitors are notified of the end of each attempt exactly once.
    @Test(arguments: CallStyle.allCases)
    private func reportsEachCompletionOfARetriedSuccess(_ style: CallStyle) async throws {
        let polling = Retrier(reconsidering: { $0.response?.status == .accepted ? .retry : .doNotRetry })
        let count = Counter()
        let test = TestSession(configuring: { $0.interceptor = Interceptor(retriers: [polling]) }) { _ in
            MockResponse(status: count.next() < 2 ? .accepted : .ok, body: "x")
        }
        _ = try await style.status(test.session)
        try await assertNothingLeft(test.session)
        #expect(completions(test) == [nil, nil, nil])
    }

    @Test(arguments: CallStyle.allCases) private func reportsTheErrorOfARetrierOnce(_ style: CallStyle) async throws {
        let test = failing(9, Interceptor(retriers: [Retrier { _, _ in .doNotRetryWithError(Fault()) }]))
        #expect(await failure { try await style.status(test.session) }?.code == .retryFailed)
        try await assertNothingLeft(test.session)
        #expect(completions(test) == [.retryFailed])
    }
}

/// Counts from zero.
final class Counter: Sendable {
    private let value = Lock(0)

    func next() -> Int {
        value.withLock { value in
            defer { value += 1 }
            return value
        }
    }
}
