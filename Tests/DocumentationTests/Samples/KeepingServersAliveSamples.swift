internal import Apus
internal import ApusResilience
internal import ApusTesting
internal import Testing

struct Airplane: NetworkWatch {
    func isReachable() -> Bool { false }
}

/// The code of the guide to protecting servers, and of the comments of `ApusResilience`.
@Suite(.timeLimit(.minutes(5)))
struct KeepingServersAliveSamples {
    /// Sends requests for users and returns the error of the last one, if any.
    private func sendRequests(_ session: Session) async -> ApusError? {
        do {
            try await session.get("https://api.example.org/users").validate()
        } catch {
            if let circuit = error.underlying as? OpenCircuit { print(circuit.origin, circuit.remaining ?? .zero) }
        }
        do {
            try await session.get("https://api.example.org/users").validate()
        } catch {
            if let refusal = error.underlying as? LimitExceeded { print("come back in", refusal.wait ?? .zero) }
        }
        do {
            try await session.get("https://api.example.org/users").validate()
            return nil
        } catch {
            return error
        }
    }

    @Test func circuits() async {
        var configuration = Session.Configuration()
        let breaker = CircuitBreaker(failureShare: 0.5, openDuration: .seconds(30), onChange: { print($0) })
        configuration.networkMiddleware = [breaker]
        let session = SampleService.session { $0.networkMiddleware = configuration.networkMiddleware }
        #expect(await sendRequests(session) == nil)
        #expect(breaker.state(of: Origin(scheme: .https, host: "api.example.org")) == .closed)
    }

    @Test func circuitsOfTheComment() async {
        let breaker = CircuitBreaker(openDuration: .seconds(10), onChange: { print($0) })
        var configuration = Session.Configuration()
        configuration.networkMiddleware = [breaker]
        #expect(configuration.networkMiddleware.count == 1)
    }

    @Test func rates() async {
        var configuration = Session.Configuration()
        configuration.networkMiddleware = [RateLimiter(10, per: .seconds(1), maximumWait: .seconds(2))]
        let session = SampleService.session { $0.networkMiddleware = configuration.networkMiddleware }
        #expect(await sendRequests(session) == nil)
        let strict = SampleService.session { $0.networkMiddleware = [RateLimiter(1, maximumWait: .zero)] }
        #expect(await sendRequests(strict)?.underlying is LimitExceeded)
    }

    @Test func exchangesAtOnce() async {
        var configuration = Session.Configuration()
        configuration.networkMiddleware = [ConcurrencyLimiter(4)]
        #expect(configuration.networkMiddleware.count == 1)
        configuration.networkMiddleware = [ConcurrencyLimiter(4, scope: .eachOrigin, maximumWaiting: 100)]
        let session = SampleService.session { $0.networkMiddleware = configuration.networkMiddleware }
        #expect(await sendRequests(session) == nil)
    }

    @Test func hedges() async {
        var configuration = Session.Configuration()
        configuration.middleware = [Hedging(percentile: 0.95, share: 0.1)]
        let session = SampleService.session { $0.middleware = configuration.middleware }
        #expect(await sendRequests(session) == nil)
    }

    @Test func hedgesOfTheComment() async {
        var configuration = Session.Configuration()
        configuration.middleware = [Hedging(percentile: 0.95, share: 0.05)]
        #expect(configuration.middleware.count == 1)
    }

    @Test func allOfThem() async {
        var configuration = Session.Configuration()
        configuration.middleware = [Hedging()]
        configuration.networkMiddleware = [ConcurrencyLimiter(8), CircuitBreaker(), RateLimiter(50)]
        let session = SampleService.session {
            $0.middleware = configuration.middleware
            $0.networkMiddleware = configuration.networkMiddleware
        }
        #expect(await sendRequests(session) == nil)
    }

    @Test func networks() {
        var configuration = Session.Configuration()
        configuration.interceptor = Interceptor(retriers: [OfflineRetrier(maximumWait: .seconds(20)), RetryPolicy()])
        #expect(configuration.interceptor is Interceptor)
        #expect(!Airplane().isReachable())
    }
}
