internal import ApusCore
internal import NIOCore
internal import Testing

@testable internal import ApusEngine

/// A pool over time: repeated timers and second connections.
@Suite(.timeLimit(.minutes(5))) struct OriginPoolTests {
    private static let response = "HTTP/1.1 204 No Content\r\n\r\n"

    private let instant = Duration.nanoseconds(1)

    @Test func timesOutEachQueuedRequestSeparately() async throws {
        let codes = try await PoolStage.run(3, configuring: { $0.pool.connectionsTotal = 1 }) { stage in
            #expect(stage.engine.shared.permits.acquire(now: stage.engine.now) {})
            for number in 0..<3 {
                stage.serve(number)
                stage.pass(.seconds(5))
            }
            stage.pass(.seconds(15) - instant)
            for number in 0..<3 {
                #expect(stage.exchanges.map(\.isOver) == (0..<3).map { $0 < number })
                stage.pass(instant)
                #expect(stage.exchanges.map(\.isOver) == (0..<3).map { $0 <= number })
                stage.pass(.seconds(5) - instant)
            }
            stage.engine.shared.permits.release()
        }
        #expect(codes == [.poolTimeout, .poolTimeout, .poolTimeout])
    }

    /// A request that has moved here brings the addresses of its origin, and the rest of its time.
    @Test func continuesTheSetupOfAnotherLoop() async throws {
        let codes = try await PoolStage.run(1) { stage in
            let found = try Self.found(of: "127.0.0.1", by: stage.engine)
            stage.pass(.seconds(4))
            stage.engine.serve(stage.exchanges[0], with: found)
            #expect(stage.network.attempts.map(\.address) == ["192.0.2.1:80"])
            stage.pass(.seconds(6) - instant)
            #expect(!stage.exchanges[0].isOver)
            stage.pass(instant)
            #expect(stage.exchanges[0].isOver)
        }
        #expect(codes == [.connectTimeout])
    }

    /// If the request gets another route there, its addresses are selected again.
    @Test func doesNotUseTheAddressesOfAnotherRoute() async throws {
        let codes = try await PoolStage.run(1) { stage in
            let found = try Self.found(of: "other.example", by: stage.engine)
            stage.pass(.seconds(4))
            stage.engine.serve(stage.exchanges[0], with: found)
            #expect(stage.network.attempts.map(\.address) == ["127.0.0.1:80"])
            stage.pass(.seconds(10) - instant)
            #expect(!stage.exchanges[0].isOver)
            stage.pass(instant)
            #expect(stage.exchanges[0].isOver)
        }
        #expect(codes == [.connectTimeout])
    }

    /// Returns addresses as a setup has found them that begins now.
    private static func found(of host: String, by engine: EventLoopEngine) throws -> FoundAddresses {
        let origin = Origin(scheme: .http, host: host)
        let setup = ConnectionSetup(
            route: Route(origin: origin, rules: nil, protocols: .automatic, network: nil),
            engine: engine
        )
        setup.addresses = [try SocketAddress(ipAddress: "192.0.2.1", port: 80)]
        return FoundAddresses(setup)
    }

    @Test func closesEachIdleConnectionSeparately() async throws {
        let codes = try await PoolStage.run(3) { stage in
            for number in 0..<3 { stage.serve(number) }
            let attempts = stage.network.attempts
            #expect(attempts.count == 3)
            for attempt in attempts { try attempt.accept() }
            for attempt in attempts {
                try attempt.receive(Self.response)
                stage.pass(.seconds(5))
            }
            stage.pass(.seconds(45) - instant)
            for number in 0..<3 {
                #expect(attempts.map(\.isConnected) == (0..<3).map { $0 >= number })
                stage.pass(instant)
                #expect(attempts.map(\.isConnected) == (0..<3).map { $0 > number })
                stage.pass(.seconds(5) - instant)
            }
            #expect(stage.engine.shared.counters.count(of: .pools) == 0)
        }
        #expect(codes == [nil, nil, nil])
    }

    /// A redirect's head arrives before its body. The next request waits for the end of the body.
    @Test func reusesAConnectionAfterADiscardedBody() async throws {
        let codes = try await PoolStage.run(3) { stage in
            let attempt = try stage.discard(0, "HTTP/1.1 302 Found\r\nContent-Length: 5\r\n\r\nab")
            stage.serve(1)
            #expect(stage.network.attempts.count == 1)
            // A draining connection serves one request.
            stage.serve(2)
            #expect(stage.network.attempts.count == 2)
            try attempt.receive("cde")
            try attempt.receive(Self.response)
            #expect(stage.exchanges.map(\.isOver) == [true, true, false])
            // The connection is free again before the second attempt completes.
            try attempt.receive(Self.response)
        }
        #expect(codes == [nil, nil, nil])
    }

    @Test(arguments: [
        // The remainder does not arrive in time, or exceeds the limit for discarded bytes.
        ("HTTP/1.1 302 Found\r\nContent-Length: 5\r\n\r\nab", Duration.milliseconds(50), ""),
        (
            "HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n", .zero,
            "11000\r\n" + String(repeating: "x", count: 65_537)
        ),
        // The declared length is too long to drain.
        ("HTTP/1.1 302 Found\r\nContent-Length: 70000\r\n\r\n", .zero, ""),
        // Bytes that have already arrived count.
        (
            "HTTP/1.1 302 Found\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "x", count: 60_000), .zero,
            ""
        ),
        // The connection cannot be reused.
        ("HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 5\r\n\r\nab", .zero, ""),
        ("HTTP/1.1 302 Found\r\n\r\nab", .zero, ""),
    ])
    func opensAConnectionIfADiscardedBodyDoesNotEnd(head: String, wait: Duration, remainder: String) async throws {
        let codes = try await PoolStage.run(2) { stage in
            let attempt = try stage.discard(0, head)
            stage.serve(1)
            if wait > .zero {
                stage.pass(wait - instant)
                #expect(stage.network.attempts.count == 1)
                stage.pass(instant)
            }
            if !remainder.isEmpty { try attempt.receive(remainder) }
            stage.pass(.zero)
            try #require(stage.network.attempts.count == 2)
            try stage.network.attempts[1].accept()
            try stage.network.attempts[1].receive(Self.response)
        }
        #expect(codes == [nil, nil])
    }

    /// If no further connection is allowed, the next request waits for the end of the first.
    @Test func closesAConnectionAtOnceIfTheBodyIsTooLong() async throws {
        let codes = try await PoolStage.run(2, configuring: { $0.pool.connectionsPerOrigin = 1 }) { stage in
            let attempt = try stage.discard(0, "HTTP/1.1 302 Found\r\nContent-Length: 70000\r\n\r\n")
            stage.serve(1)
            stage.pass(.zero)
            #expect(!attempt.isConnected)
            try #require(stage.network.attempts.count == 2)
            try stage.network.attempts[1].accept()
            try stage.network.attempts[1].receive(Self.response)
        }
        #expect(codes == [nil, nil])
    }

    @Test func servesRequestsByTheirPriority() async throws {
        let options: [RequestOptions] = [
            .none, [RequestPriority.low], .none, [RequestPriority.high], [RequestPriority.low], [RequestPriority.high],
        ]
        let codes = try await PoolStage.run(6, options: options, configuring: { $0.pool.connectionsPerOrigin = 1 }) {
            stage in
            for number in 0..<6 { stage.serve(number) }
            let attempt = try #require(stage.network.attempts.first)
            try attempt.accept()
            stage.pass(.zero)
            var order: [Int] = []
            for _ in 0..<6 {
                try attempt.receive(Self.response)
                stage.pass(.zero)
                order += (0..<6).filter { stage.exchanges[$0].isOver && !order.contains($0) }
            }
            #expect(order == [3, 5, 0, 2, 1, 4])
            #expect(stage.network.attempts.count == 1)
        }
        #expect(codes == Array(repeating: nil, count: 6))
    }

    @Test func closesAConnectionAfterItsLastUse() async throws {
        let codes = try await PoolStage.run(3, configuring: { $0.pool.usesPerConnection = 2 }) { stage in
            stage.serve(0)
            let attempt = try #require(stage.network.attempts.first)
            try attempt.accept()
            try attempt.receive(Self.response)
            stage.pass(.zero)
            #expect(attempt.isConnected)
            stage.serve(1)
            try attempt.receive(Self.response)
            stage.pass(.zero)
            #expect(!attempt.isConnected)
            stage.serve(2)
            try #require(stage.network.attempts.count == 2)
            try stage.network.attempts[1].accept()
            try stage.network.attempts[1].receive(Self.response)
        }
        #expect(codes == [nil, nil, nil])
    }

    /// RFC 9112 §9.3.1: a request that was lost on two connections is not sent on a third.
    @Test func sendsARequestTwiceAtMost() async throws {
        let codes = try await PoolStage.run(3, configuring: { $0.pool.connectionsPerOrigin = 2 }) { stage in
            for number in 0..<2 { stage.serve(number) }
            let attempts = stage.network.attempts
            for attempt in attempts {
                try attempt.accept()
                stage.pass(.zero)
                #expect(try attempt.sent().hasPrefix("GET / "))
            }
            try attempts[0].receive(Self.response)
            stage.pass(.zero)
            // The first connection is idle, and dies during the third request.
            stage.serve(2)
            #expect(try attempts[0].sent().hasPrefix("GET / "))
            attempts[0].disconnect()
            stage.pass(.zero)
            #expect(stage.network.attempts.count == 3)
            #expect(!stage.exchanges[2].isOver)
            // The second connection is released to it before the new one is ready, and dies too.
            try attempts[1].receive(Self.response)
            stage.pass(.zero)
            #expect(try attempts[1].sent().hasPrefix("GET / "))
            attempts[1].disconnect()
            stage.pass(.zero)
            #expect(stage.exchanges[2].isOver)
            try stage.network.attempts[2].accept()
            stage.pass(.zero)
            #expect(try stage.network.attempts[2].sent() == "")
            #expect(stage.exchanges[2].record.metrics.resendCount == 1)
        }
        #expect(codes == [nil, nil, .connectionClosed])
    }
}
