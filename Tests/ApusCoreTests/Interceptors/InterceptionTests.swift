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

    @Test func knowsWhichSuccessesAreOfInterest() {
        let all: [HTTPResponse.Status] = [.ok, .accepted, .tooManyRequests, 999, HTTPResponse.Status(code: 0)]
        func ofInterest(_ interceptor: (any RequestInterceptor)?) -> [Int] {
            let interception = Interception(interceptor)
            return all.filter(interception.mayReconsider).map(\.code)
        }
        #expect(ofInterest(nil) == [])
        #expect(ofInterest(Both()) == [])
        #expect(ofInterest(ConnectionLostRetryPolicy()) == [])
        #expect(ofInterest(RetryPolicy()) == [429])
        // What is no status is nobody's, and does no harm.
        let own = RetryPolicy(statuses: [0, 202, 999, 1000, -1, .max, .min])
        #expect(ofInterest(own) == [202, 999, 0])
        #expect(ofInterest(Interceptor(interceptors: [RetryPolicy(), own])) == [202, 429, 999, 0])
        let polling = Retrier(reconsidering: { _ in .retry })
        #expect(ofInterest(Interceptor(retriers: [polling], interceptors: [RetryPolicy()])) == all.map(\.code))
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
