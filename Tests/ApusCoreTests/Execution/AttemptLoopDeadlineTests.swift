internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Retries that cannot start before the deadline of their request.
@Suite(.timeLimit(.minutes(5))) struct AttemptLoopDeadlineTests {
    typealias CallStyle = AttemptLoopTests.CallStyle

    /// Returns the result of a call that must not wait. If it waits, its deadline is reached.
    private func prompt<Value: Sendable>(
        _ test: TestSession,
        _ call: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let ended = LockedList<Int>()
        let task = Task {
            defer { ended.append(1) }
            return try await call()
        }
        let isPrompt = await eventually { !ended.all.isEmpty }
        #expect(isPrompt)
        if !isPrompt { test.clock.advance(by: .seconds(1000)) }
        return try await task.value
    }

    private func busySession(_ interceptor: any RequestInterceptor) -> TestSession {
        TestSession(configuring: {
            $0.timeouts.request = .seconds(5)
            $0.retryBudget = RetryBudget(share: 0, minimum: 1)
            $0.interceptor = interceptor
        }) { _ in MockResponse(status: .serviceUnavailable, fields: [.retryAfter: "5"], body: "busy") }
    }

    @Test(arguments: CallStyle.allCases)
    private func keepsTheResponseWhenARetryCannotStartInTime(_ style: CallStyle) async throws {
        for interceptor in [
            RetryPolicy(), Interceptor(retriers: [Retrier(reconsidering: { _ in .retryWithDelay(.seconds(5)) })]),
        ] as [any RequestInterceptor] {
            let test = busySession(interceptor)
            let session = test.session
            #expect(try await prompt(test) { try await style.status(session) } == 503)
            #expect(test.transport.requests.count == 1)
            #expect(session.core.environment.retryLedger?.takeRetry(at: test.clock.now) == true)
            try await assertNothingLeft(session)
        }
    }

    @Test func keepsTheErrorAndTheFileWhenARetryCannotStartInTime() async throws {
        let test = busySession(RetryPolicy())
        let session = test.session
        let rejected = try await prompt(test) { await failure { try await session.get("http://h/").validate() } }
        #expect(rejected?.code == .unacceptableStatus)
        let file = try await prompt(test) {
            try await session.download("http://h/", to: .temporary).validate(statusCode: [503]).serializingURL().value
        }
        #expect(try Data(contentsOf: file) == Data("busy".utf8))
        try FileManager.default.removeItem(at: file)
        let validated = try await prompt(test) {
            await session.request("http://h/").validate().serializingString().response
        }
        #expect(validated.error?.code == .unacceptableStatus && validated.error?.data == Data("busy".utf8))
        #expect(test.transport.requests.count == 3)
        try await assertNothingLeft(session)
    }

    /// One nanosecond more is enough for a retry.
    @Test(arguments: CallStyle.allCases) private func isRetriedJustInTime(_ style: CallStyle) async throws {
        let test = busySession(RetryPolicy(retryLimit: 1))
        let session = test.session
        let deadline = RequestDeadline(.seconds(5) + .nanoseconds(1))
        async let status = style.status(session, options: [deadline])
        await test.clock.waitForSleepers(2)
        test.clock.advance(by: .seconds(5))
        #expect(try await status == 503)
        #expect(test.transport.requests.count == 2)
        try await assertNothingLeft(session)
    }

    @Test func callsTheNextRetrierWhenARetryCannotStartInTime() async throws {
        struct Fault: Error {}
        let last = Retrier(reconsidering: { _ in .doNotRetryWithError(Fault()) })
        let late = Retrier(reconsidering: { _ in .retryWithDelay(.seconds(1000)) })
        let test = busySession(Interceptor(retriers: [late, last]))
        let session = test.session
        let error = try await prompt(test) { await failure { try await session.get("http://h/") } }
        #expect(error?.code == .retryFailed)
        try await assertNothingLeft(session)
    }
}
