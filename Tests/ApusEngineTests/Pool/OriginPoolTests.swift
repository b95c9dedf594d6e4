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

    /// A redirect's head comes ahead of its content: what follows it waits for the end of that.
    @Test func aRequestBehindADiscardedContentGoesOnTheSameConnection() async throws {
        let codes = try await PoolStage.play(3) { stage in
            let call = try stage.discard(0, "HTTP/1.1 302 Found\r\nContent-Length: 5\r\n\r\nab")
            stage.serve(1)
            #expect(stage.switchboard.calls.count == 1)
            // One that drains serves one.
            stage.serve(2)
            #expect(stage.switchboard.calls.count == 2)
            try call.receive("cde")
            try call.receive(Self.answer)
            #expect(stage.exchanges.map(\.isOver) == [true, true, false])
            // It is free again before the second is there.
            try call.receive(Self.answer)
        }
        #expect(codes == [nil, nil, nil])
    }

    @Test(arguments: [
        // Nothing more of it comes, or more than is read for nobody.
        ("HTTP/1.1 302 Found\r\nContent-Length: 5\r\n\r\nab", Duration.milliseconds(50), ""),
        (
            "HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n", .zero,
            "11000\r\n" + String(repeating: "x", count: 65_537)
        ),
        // It is known not to be short enough.
        ("HTTP/1.1 302 Found\r\nContent-Length: 70000\r\n\r\n", .zero, ""),
        // Bytes that have arrived already count.
        (
            "HTTP/1.1 302 Found\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "x", count: 60_000), .zero,
            ""
        ),
        // The connection serves nobody again.
        ("HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 5\r\n\r\nab", .zero, ""),
        ("HTTP/1.1 302 Found\r\n\r\nab", .zero, ""),
    ])
    func aRequestBehindAContentThatDoesNotEndGoesOnAnother(head: String, wait: Duration, rest: String) async throws {
        let codes = try await PoolStage.play(2) { stage in
            let call = try stage.discard(0, head)
            stage.serve(1)
            if wait > .zero {
                stage.pass(wait - instant)
                #expect(stage.switchboard.calls.count == 1)
                stage.pass(instant)
            }
            if !rest.isEmpty { try call.receive(rest) }
            stage.pass(.zero)
            try #require(stage.switchboard.calls.count == 2)
            try stage.switchboard.calls[1].answer()
            try stage.switchboard.calls[1].receive(Self.answer)
        }
        #expect(codes == [nil, nil])
    }

    /// Where there is room for no other connection, the next request waits for the end of the first.
    @Test func aContentThatIsKnownToBeTooLongEndsAtOnce() async throws {
        let codes = try await PoolStage.play(2, configuring: { $0.pool.connectionsPerOrigin = 1 }) { stage in
            let call = try stage.discard(0, "HTTP/1.1 302 Found\r\nContent-Length: 70000\r\n\r\n")
            stage.serve(1)
            stage.pass(.zero)
            #expect(!call.isConnected)
            try #require(stage.switchboard.calls.count == 2)
            try stage.switchboard.calls[1].answer()
            try stage.switchboard.calls[1].receive(Self.answer)
        }
        #expect(codes == [nil, nil])
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
