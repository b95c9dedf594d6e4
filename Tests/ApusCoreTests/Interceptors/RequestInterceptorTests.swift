internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The input of interceptors, and the state of a request that is retried.
@Suite(.timeLimit(.minutes(5))) struct RequestInterceptorTests {
    private struct Fault: Error {}

    private struct Plain: RequestInterceptor {}

    /// Parity: AF-intercept-defaults
    @Test func changesNothingByDefault() async throws {
        let test = TestSession(configuring: { $0.interceptor = Plain() }) { _ in
            throw ApusError(.connectionClosed, "it went away")
        }
        let error = await failure { try await test.session.put("http://h/a", fields: [.from: "x"]) }
        #expect(error?.code == .connectionClosed)
        #expect(test.transport.requests.map(\.target.uri) == ["http://h/a"])
        #expect(test.transport.requests.first?.fields[.from] == "x")
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-intercept-state
    @Test func receivesTheIDOfTheRequest() async throws {
        let seen = LockedList<RequestID>()
        let interceptor = Interceptor(
            adapters: [
                Adapter { request, context in
                    seen.append(context.id)
                    return request
                }
            ],
            retriers: [
                Retrier { attempt, _ in
                    seen.append(attempt.context.id)
                    return attempt.retryCount == 0 ? .retry : .doNotRetry
                }
            ]
        )
        let test = TestSession(configuring: { $0.interceptor = interceptor }) { _ in
            throw ApusError(.connectionClosed, "it went away")
        }
        let request = test.session.request("http://h/")
        _ = await request.serializingData().response
        #expect(seen.all == Array(repeating: request.id, count: 4))
        try await assertNothingLeft(test.session)
    }

    /// Only the retriers themselves limit the number of retries.
    /// Parity: AF-retry-no-cap
    @Test func retriesAsOftenAsARetrierDecides() async throws {
        let retrier = Retrier { attempt, _ in attempt.retryCount < 100 ? .retry : .doNotRetry }
        let test = TestSession(configuring: { $0.interceptor = Interceptor(retriers: [retrier]) }) { _ in
            throw ApusError(.connectionClosed, "it went away")
        }
        let request = test.session.request("http://h/")
        #expect(await request.serializingData().response.error?.code == .connectionClosed)
        #expect(request.retryCount == 100)
        #expect(test.transport.requests.count == 101)
        try await assertNothingLeft(test.session)
    }

    // MARK: Errors offered to retriers

    private enum Stage: CaseIterable {
        case adaptation, exchange, validation, serialization

        var code: ApusError.Code {
            switch self {
            case .adaptation: .adaptationFailed
            case .exchange: .connectionClosed
            case .validation: .unacceptableStatus
            case .serialization: .decodingFailed
            }
        }
    }

    /// Parity: AF-stage-retriers, AF-fault-retriers-once
    @Test(arguments: Stage.allCases) private func isOfferedAFailureOnce(in stage: Stage) async throws {
        let offered = LockedList<ApusError.Code>()
        let adapter = Adapter { request, _ in
            if stage == .adaptation { throw Fault() }
            return request
        }
        let retrier = Retrier { _, error in
            offered.append(error.code)
            return .doNotRetry
        }
        let interceptor = Interceptor(adapters: [adapter], retriers: [retrier])
        let test = TestSession(configuring: { $0.interceptor = interceptor }) { _ in
            if stage == .exchange { throw ApusError(.connectionClosed, "it went away") }
            return MockResponse(status: stage == .validation ? 500 : 200, body: "ok")
        }
        let request = test.session.request("http://h/").validate()
        let first = request.serializingDecodable([Int].self)
        let second = request.serializingDecodable([Int].self)
        request.response(queue: .global()) { _ in }
        #expect(await first.response.error?.code == stage.code)
        #expect(await second.response.error?.code == stage.code)
        #expect(offered.all == [stage.code])
        try await assertNothingLeft(test.session)
    }

    private struct FailingRequest: RequestConvertible {
        func asRequest() throws -> RequestMessage { throw Fault() }
    }

    /// A request that could not be built has no attempt to retry.
    /// Parity: AF-stage-retriers
    @Test func isOfferedNoAttemptOfARequestThatCouldNotBeBuilt() async throws {
        let offered = LockedList<ApusError.Code>()
        let test = TestSession.configured {
            $0.interceptor = Interceptor(retriers: [
                Retrier { _, error in
                    offered.append(error.code)
                    return .retry
                }
            ])
        }
        let session = test.session
        let errors = [
            await session.request(FailingRequest()).serializingData().response.error,
            await session.request("no URL").serializingData().response.error,
            await failure { try await session.send(FailingRequest()) },
            await failure { try await session.get("no URL") },
        ]
        #expect(errors.map(\.?.code) == [.requestBuildingFailed, .invalidURL, .requestBuildingFailed, .invalidURL])
        #expect(offered.all.isEmpty)
        try await assertNothingLeft(session)
    }

    // MARK: Retries

    /// Parity: AF-retry-reset, AF-progress-retry
    @Test func discardsTheStateOfThePreviousAttempt() async throws {
        let count = Counter()
        let queue = DispatchQueue(label: "apus.tests.progress")
        let reported = LockedList<String>()
        let retrier = Retrier { attempt, _ in attempt.retryCount == 0 ? .retryWithDelay(.seconds(5)) : .doNotRetry }
        let test = TestSession(configuring: { $0.interceptor = Interceptor(retriers: [retrier]) }) { _ in
            MockResponse(fields: [.contentLength: "3"], body: count.next() == 0 ? "???" : "[1]")
        }
        let request = test.session.request("http://h/")
            .downloadProgress(queue: queue) { reported.append("\($0.completed)/\($0.total ?? -1)") }
        let task = request.serializingDecodable([Int].self)
        await test.clock.waitForSleepers(1)
        queue.sync {}
        #expect(request.response == nil && request.data == nil && request.error == nil)
        #expect(request.state == .resumed && request.retryCount == 1)
        #expect(reported.all.last == "0/-1")
        #expect(request.metrics.exchanges.count == 1)
        test.clock.advance(by: .seconds(5))
        #expect(try await task.value == [1])
        queue.sync {}
        #expect(reported.all.last == "3/3")
        #expect(request.data == Data("[1]".utf8))
        #expect(request.metrics.exchanges.map(\.cause) == [.first, .retry])
        try await assertNothingLeft(test.session)
    }
}
