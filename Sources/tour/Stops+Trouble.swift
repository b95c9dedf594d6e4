internal import Apus
internal import ApusResilience
internal import ApusTestServer
internal import Foundation

/// Stops about failing servers: retries and the circuit breaker.
enum Trouble {
    /// The policy's own delay would be up to a minute, but the server's `Retry-After` is shorter.
    static func busy(_ grounds: Grounds) async throws -> Finding {
        let url = grounds.otherServer.url("/busy")
        let minute = Duration.seconds(60)
        return try await grounds.withSession {
            $0.interceptor = RetryPolicy(retryLimit: 2, scale: minute, maximumDelay: minute)
        } _: { session in
            let begin = MonotonicInstant.now
            let answer = try await session.get(url).validate()
            let elapsed = begin.duration(to: .now)
            let hops = answer.metrics.hops
            try expect(hops.map(\.cause), is: [.first, .retry, .retry], "the causes")
            try expect(hops.compactMap { $0.status?.code }, is: [503, 503, 200], "the statuses")
            try expect(elapsed < .seconds(5), "retries when the server wants them", found: elapsed)
            // A POST is not retried, since it may not be idempotent.
            let posted = try await session.post(url)
            try expect(posted.metrics.hops.compactMap { $0.status?.code }, is: [503], "the statuses of a POST")
            return Finding("\(hops.count) attempts: 503 → 503 → 200", hops, posted.metrics.hops)
        }
    }

    /// After three failures, the circuit breaker rejects twenty more requests.
    static func down(_ grounds: Grounds) async throws -> Finding {
        let server = grounds.otherServer
        let url = server.url("/down")
        let changes = Lock<[CircuitChange]>([])
        return try await grounds.withSession {
            $0.networkMiddleware = [
                CircuitBreaker(minimumRequests: 3, onChange: { change in changes.withLock { $0.append(change) } })
            ]
        } _: { session in
            var requests: [[HopMetrics]] = []
            for _ in 0..<3 {
                let error = try await failure(.unacceptableStatus) { try await session.get(url).validate() }
                requests.append(error.hops)
            }
            let change = changes.withLock { $0 }.first
            guard let change, case .open = change.to else {
                throw Unexpected(expected: "an open circuit", found: change.map { "\($0)" } ?? "no change")
            }
            var refusals: [ApusError] = []
            for _ in 0..<20 { refusals.append(try await failure(.circuitOpen) { try await session.get(url) }) }
            let visits = server.requests.count { $0.path == "/down" }
            try expect(visits, is: 3, "the requests that reached the server")
            try expect(refusals.allSatisfy(\.hops.isEmpty), "no exchange of those refused", found: refusals)
            let text = "\(visits) asked in vain, \(refusals.count) were spared it"
            return Finding(text, quotes: ["\(refusals[0])"], requests: requests)
        }
    }
}
