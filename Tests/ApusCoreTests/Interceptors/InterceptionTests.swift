internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct InterceptionTests {
    private struct Both: RequestInterceptor {}

    private let adapter = Adapter { request, _ in request }
    private let retrier = Retrier { _, _ in .retry }

    @Test func isEmptyOfNothing() {
        #expect(Interception().isEmpty)
        #expect(Interception(Interceptor()).isEmpty)
    }

    /// Parity: AF-intercept-interceptor
    @Test func takesSeveralApart() {
        let inner = Interceptor(adapters: [adapter], retriers: [retrier], interceptors: [Both()])
        let outer = Interceptor(retriers: [retrier], interceptors: [inner, RetryPolicy()])
        let interception = Interception(outer)
        #expect(interception.adapters.map { "\(type(of: $0))" } == ["Adapter", "Both"])
        let retriers = interception.retriers.map { "\(type(of: $0.retrier))" }
        #expect(retriers == ["Retrier", "Retrier", "Both", "RetryPolicy"])
    }

    @Test func asksAboutSuccessesThoseWhoCare() {
        let polling = Retrier(reconsidering: { _ in .retry })
        let interception = Interception(
            Interceptor(retriers: [retrier, polling], interceptors: [RetryPolicy(), Both()])
        )
        #expect(interception.reconsiderers.map { "\(type(of: $0.retrier))" } == ["Retrier", "RetryPolicy"])
    }

    @Test func runsAnInterceptorOfSeveralByItself() async throws {
        let first = Adapter { request, _ in
            var request = request
            request.fields[.from] = "first"
            return request
        }
        let second = Adapter { request, _ in
            var request = request
            request.fields[.from]? += ", second"
            return request
        }
        let several = Interceptor(adapters: [first, second])
        let context = RequestContext(environment: SessionEnvironment(configuration: SessionConfiguration()))
        let request = try await several.adapt(try RequestMessage("http://h/"), context: context)
        #expect(request.fields[.from] == "first, second")
    }
}
