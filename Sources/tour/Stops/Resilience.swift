internal import Apus
internal import ApusResilience
internal import ApusTestServer
internal import Foundation

/// Stops about failing servers: retries and the circuit breaker.
enum Resilience {
    /// The policy's own delay would be up to a minute, but the server's `Retry-After` is shorter.
    static func busy(_ environment: TourEnvironment) async throws -> Finding {
        let url = environment.otherServer.url("/busy")
        let minute = Duration.seconds(60)
        return try await environment.withSession {
            $0.interceptor = RetryPolicy(retryLimit: 2, scale: minute, maximumDelay: minute)
        } _: { session in
            let begin = MonotonicInstant.now
            let response = try await session.get(url).validate()
            let elapsed = begin.duration(to: .now)
            let exchanges = response.metrics.exchanges
            try expect(exchanges.map(\.cause), is: [.first, .retry, .retry], "the causes")
            try expect(exchanges.compactMap { $0.status?.code }, is: [503, 503, 200], "the statuses")
            try expect(elapsed < .seconds(5), "retries when the server requests them", found: elapsed)
            // A POST is not retried, since it may not be idempotent.
            let posted = try await session.post(url)
            try expect(posted.metrics.exchanges.compactMap { $0.status?.code }, is: [503], "the statuses of a POST")
            return Finding("\(exchanges.count) attempts: 503 → 503 → 200", exchanges, posted.metrics.exchanges)
        }
    }

    /// After three failures, the circuit breaker rejects twenty more requests.
    static func down(_ environment: TourEnvironment) async throws -> Finding {
        let server = environment.otherServer
        let url = server.url("/down")
        let changes = Lock<[CircuitChange]>([])
        return try await environment.withSession {
            $0.networkMiddleware = [
                CircuitBreaker(minimumRequests: 3, onChange: { change in changes.withLock { $0.append(change) } })
            ]
        } _: { session in
            var requests: [[ExchangeMetrics]] = []
            for _ in 0..<3 {
                let error = try await failure(.unacceptableStatus) { try await session.get(url).validate() }
                requests.append(error.exchanges)
            }
            let change = changes.withLock { $0 }.first
            guard let change, case .open = change.to else {
                throw Unexpected(expected: "an open circuit", found: change.map { "\($0)" } ?? "no change")
            }
            var refusals: [ApusError] = []
            for _ in 0..<20 { refusals.append(try await failure(.circuitOpen) { try await session.get(url) }) }
            let visits = server.requests.count { $0.path == "/down" }
            try expect(visits, is: 3, "the requests that reached the server")
            try expect(refusals.allSatisfy(\.exchanges.isEmpty), "no exchanges of those rejected", found: refusals)
            let text = "\(visits) requests failed, \(refusals.count) were not sent"
            return Finding(text, quotes: ["\(refusals[0])"], requests: requests)
        }
    }
}
