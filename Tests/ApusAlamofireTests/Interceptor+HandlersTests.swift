internal import ApusAlamofire
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@Suite struct InterceptorHandlersTests {
    private static let adapt: AdaptHandler = { request, context, completion in
        var request = request
        request.headers.add(name: "X-Tag", value: "blue")
        completion(.success(request))
    }

    private static let retry: RetryHandler = { attempt, context, error, completion in
        completion(attempt.retryCount == 0 && error.isResponseValidationError ? .retry : .doNotRetry)
    }

    /// Parity: AF-session-labels, AF-intercept-adapter-closure
    @Test func callsItsClosures() async throws {
        let (adapt, retry) = (Self.adapt, Self.retry)
        let interceptors: [Interceptor] = [
            Interceptor(adaptHandler: adapt, retryHandler: retry),
            .interceptor(adapter: Adapter(adapt), retrier: Retrier(retry)),
            .interceptor(interceptors: [.adapter(using: adapt), .retrier(using: retry)]),
        ]
        for interceptor in interceptors {
            let test = TestSession { _ in MockResponse(status: 500) }
            let request = test.session.request("http://h/", interceptor: interceptor).validate()
            #expect(await request.serializingData().response.error?.responseCode == 500)
            #expect(test.transport.requests.count == 2)
            #expect(test.transport.requests.allSatisfy { $0.headers["X-Tag"] == "blue" })
            try await assertNothingLeft(test.session)
        }
    }

    @Test(
        arguments: [(1.5, .milliseconds(1500)), (-1, .zero), (.nan, .zero), (.infinity, .seconds(1_000_000_000))]
            as [(Double, Duration)]
    )
    func retriesAfterSeconds(seconds: Double, delay: Duration) {
        guard case .retryWithDelay(let found) = RetryResult.retryWithDelay(seconds) else {
            Issue.record("it is another result")
            return
        }
        #expect(found == delay)
    }
}
