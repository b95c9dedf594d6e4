internal import ApusCore
internal import Testing

@testable internal import ApusEngine

/// A pool over time: timers that are set a second time, and the second of two connections.
@Suite(.timeLimit(.minutes(5))) struct OriginPoolTests {
    private static let answer = "HTTP/1.1 204 No Content\r\n\r\n"

    private let instant = Duration.nanoseconds(1)

    @Test func requestsThatWaitFromDifferentTimesEndAtDifferentTimes() async throws {
        let codes = try await PoolStage.play(3, configuring: { $0.pool.connectionsTotal = 1 }) { stage in
            #expect(stage.home.shared.permits.acquire(now: stage.home.now) {})
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
            stage.home.shared.permits.release()
        }
        #expect(codes == [.poolTimeout, .poolTimeout, .poolTimeout])
    }

    @Test func connectionsThatAreUnusedFromDifferentTimesAreClosedAtDifferentTimes() async throws {
        let codes = try await PoolStage.play(3) { stage in
            for number in 0..<3 { stage.serve(number) }
            let calls = stage.switchboard.calls
            #expect(calls.count == 3)
            for call in calls { try call.answer() }
            for call in calls {
                try call.receive(Self.answer)
                stage.pass(.seconds(5))
            }
            stage.pass(.seconds(45) - instant)
            for number in 0..<3 {
                #expect(calls.map(\.isConnected) == (0..<3).map { $0 >= number })
                stage.pass(instant)
                #expect(calls.map(\.isConnected) == (0..<3).map { $0 > number })
                stage.pass(.seconds(5) - instant)
            }
            #expect(stage.home.shared.counters.count(of: .pools) == 0)
        }
        #expect(codes == [nil, nil, nil])
    }

    /// RFC 9112 §9.3.1: a request that was lost on two connections is not sent on a third.
    @Test func aRequestIsSentTwiceAtMost() async throws {
        let codes = try await PoolStage.play(3, configuring: { $0.pool.connectionsPerOrigin = 2 }) { stage in
            for number in 0..<2 { stage.serve(number) }
            let calls = stage.switchboard.calls
            for call in calls {
                try call.answer()
                stage.pass(.zero)
                #expect(try call.sent().hasPrefix("GET / "))
            }
            try calls[0].receive(Self.answer)
            stage.pass(.zero)
            // The first connection is idle, and dies under the third request.
            stage.serve(2)
            #expect(try calls[0].sent().hasPrefix("GET / "))
            calls[0].hangUp()
            stage.pass(.zero)
            #expect(stage.switchboard.calls.count == 3)
            #expect(!stage.exchanges[2].isOver)
            // The second one is released to it ahead of the connection that is under way, and dies too.
            try calls[1].receive(Self.answer)
            stage.pass(.zero)
            #expect(try calls[1].sent().hasPrefix("GET / "))
            calls[1].hangUp()
            stage.pass(.zero)
            #expect(stage.exchanges[2].isOver)
            try stage.switchboard.calls[2].answer()
            stage.pass(.zero)
            #expect(try stage.switchboard.calls[2].sent() == "")
            #expect(stage.exchanges[2].record.metrics.resendCount == 1)
        }
        #expect(codes == [nil, nil, .connectionClosed])
    }
}
