internal import ApusTestSupport
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct InterceptorSetTests {
    private struct Both: RequestInterceptor {}

    private let adapter = Adapter { request, _ in request }
    private let retrier = Retrier { _, _ in .retry }

    @Test func isEmptyWithoutInterceptors() {
        #expect(InterceptorSet().isEmpty)
        #expect(InterceptorSet(Interceptor()).isEmpty)
    }

    /// Parity: AF-intercept-interceptor
    @Test func flattensNestedInterceptors() {
        let inner = Interceptor(adapters: [adapter], retriers: [retrier], interceptors: [Both()])
        let outer = Interceptor(retriers: [retrier], interceptors: [inner, RetryPolicy()])
        let interceptors = InterceptorSet(outer)
        #expect(interceptors.adapters.map { "\(type(of: $0))" } == ["Adapter", "Both"])
        let retriers = interceptors.retriers.map { "\(type(of: $0.retrier))" }
        #expect(retriers == ["Retrier", "Retrier", "Both", "RetryPolicy"])
    }

    @Test func listsRetriersThatReconsiderSuccesses() {
        let polling = Retrier(reconsidering: { _ in .retry })
        let interceptors = InterceptorSet(
            Interceptor(retriers: [retrier, polling], interceptors: [RetryPolicy(), Both()])
        )
        #expect(interceptors.reconsiderers.map { "\(type(of: $0.retrier))" } == ["Retrier", "RetryPolicy"])
    }

    @Test func knowsWhichStatusesMayBeReconsidered() {
        let all: [HTTPResponse.Status] = [.ok, .accepted, .tooManyRequests, 999, HTTPResponse.Status(code: 0)]
        func reconsidered(_ interceptor: (any RequestInterceptor)?) -> [Int] {
            let interceptors = InterceptorSet(interceptor)
            return all.filter(interceptors.mayReconsider).map(\.code)
        }
        #expect(reconsidered(nil) == [])
        #expect(reconsidered(Both()) == [])
        #expect(reconsidered(ConnectionLostRetryPolicy()) == [])
        #expect(reconsidered(RetryPolicy()) == [429])
        // Numbers outside the range of statuses are ignored.
        let own = RetryPolicy(statuses: [0, 202, 999, 1000, -1, .max, .min])
        #expect(reconsidered(own) == [202, 999, 0])
        #expect(reconsidered(Interceptor(interceptors: [RetryPolicy(), own])) == [202, 429, 999, 0])
        let polling = Retrier(reconsidering: { _ in .retry })
        #expect(reconsidered(Interceptor(retriers: [polling], interceptors: [RetryPolicy()])) == all.map(\.code))
    }

    @Test func runsAnInterceptorOfSeveralDirectly() async throws {
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
