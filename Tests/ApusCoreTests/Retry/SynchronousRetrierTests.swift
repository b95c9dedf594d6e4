internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5)))
struct SynchronousRetrierTests {
    /// Retries while the body is "pending".
    private struct UntilReady: SynchronousRetrier {
        func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult? {
            attempt.data == Data("pending".utf8) ? .retry : .doNotRetry
        }
    }

    private struct OnlyForStatus: SynchronousRetrier {
        let interestingStatuses: Set<Int>? = [202]
        let calls = Counter()

        func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult? {
            calls.next() == 0 ? .retry : .doNotRetry
        }
    }

    /// Leaves each decision to its async functions.
    private struct Waiting: SynchronousRetrier {
        func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult? { nil }

        func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
            attempt.retryCount == 0 ? .retry : .doNotRetry
        }

        func reconsider(_ attempt: RequestAttempt) async -> RetryResult {
            attempt.retryCount == 0 ? .retry : .doNotRetry
        }
    }

    private struct Both: RequestInterceptor, SynchronousAdapter, SynchronousRetrier {
        func adaptNow(_ request: inout RequestMessage, context: RequestContext) throws -> Bool {
            request.fields[.from] = "\(context.retryCount)"
            return true
        }

        func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult? {
            attempt.retryCount == 0 ? .retry : .doNotRetry
        }
    }

    private func session(_ retrier: any RequestRetrier, _ responses: [MockResponse]) -> TestSession {
        let count = Counter()
        return TestSession(configuring: { $0.interceptor = Interceptor(retriers: [retrier]) }) { _ in
            responses[min(count.next(), responses.count - 1)]
        }
    }

    @Test func asksAboutTheBodyOfA200() async throws {
        let test = session(UntilReady(), ["pending", "pending", "ready"].map { MockResponse(body: $0) })
        #expect(try await test.session.get("http://h/").string() == "ready")
        #expect(test.transport.requests.count == 3)
        let again = session(UntilReady(), ["pending", "ready"].map { MockResponse(body: $0) })
        #expect(await again.session.request("http://h/").serializingString().response.value == "ready")
        #expect(again.transport.requests.count == 2)
    }

    @Test func asksOnlyAboutInterestingStatuses() async throws {
        let retrier = OnlyForStatus()
        let test = session(retrier, [MockResponse(body: "ok")])
        _ = try await test.session.get("http://h/")
        #expect(test.transport.requests.count == 1)
        #expect(retrier.calls.next() == 0)
        let accepted = session(OnlyForStatus(), [MockResponse(status: .accepted)])
        _ = try await accepted.session.get("http://h/")
        #expect(accepted.transport.requests.count == 2)
    }

    @Test func waitsForADecisionThatTakesTime() async throws {
        let test = session(Waiting(), [MockResponse(body: "ok")])
        _ = try await test.session.get("http://h/")
        #expect(test.transport.requests.count == 2)
    }

    @Test func adaptsAndRetriesInOneType() async throws {
        let test = TestSession(configuring: { $0.interceptor = Both() }) { _ in MockResponse(body: "ok") }
        _ = try await test.session.get("http://h/")
        #expect(test.transport.requests.map { $0.fields[.from] } == ["0", "1"])
        let context = RequestContext(environment: SessionEnvironment(configuration: Session.Configuration()))
        let request = RequestMessage(target: try TargetURI("http://h/"))
        #expect(try await Both().adapt(request, context: context).fields[.from] == "0")
    }
}
