internal import ApusCore
internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

/// The engine's default timeouts, at the limit and a nanosecond before it.
@Suite(.timeLimit(.minutes(5))) struct TimeoutTests {
    /// The bytes that a server sends before it falls silent.
    struct Beginning: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: String
    }

    static let beginnings: [Beginning] = [
        Beginning(testDescription: "half a status line", bytes: "HTTP/1.1 200 O"),
        Beginning(testDescription: "an informational response", bytes: "HTTP/1.1 103 Early Hints\r\n\r\n"),
        Beginning(
            testDescription: "half a body",
            bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"
        ),
    ]

    static let addresses = [
        IPAddress.v6(0x2001, 0xDB8, 0, 0, 0, 0, 0, 1),
        IPAddress.v6(0x2001, 0xDB8, 0, 0, 0, 0, 0, 2),
        IPAddress.v4(192, 0, 2, 1),
    ]

    private let instant = Duration.nanoseconds(1)
    /// The size of a body that is sent in two pieces.
    private let twoPieces = RequestUpload.sliceBytes + 1

    private func get(_ url: String = "http://127.0.0.1/") throws -> RequestMessage { try RequestMessage(url) }

    private func post(_ byteCount: Int, fields: HTTPFields = [:]) throws -> RequestMessage {
        let text = String(repeating: "x", count: byteCount)
        return try RequestMessage(
            "http://127.0.0.1/",
            method: .post,
            fields: RequestFields(fields),
            body: .string(text)
        )
    }

    // MARK: Reading

    @Test func endsASilentServerInAReadTimeout() async throws {
        let code = try await ExchangeStage.run(get()) { stage throws in
            stage.send()
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
            #expect(!stage.isConnected)
        }
        #expect(code == .readTimeout)
    }

    @Test(arguments: beginnings) func restartsTheReadTimeoutAtEachRead(beginning: Beginning) async throws {
        try await ExchangeStage.run(get()) { stage throws in
            stage.send()
            stage.pass(.seconds(60) - instant)
            try stage.receive(beginning.bytes)
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
        }
    }

    @Test func startsTheReadTimeoutWhenTheRequestIsWritten() async throws {
        try await ExchangeStage.run(post(twoPieces)) { stage throws in
            stage.peer.limitsWrites = true
            stage.send()
            for _ in 0..<2 {
                stage.pass(.seconds(60) - instant)
                stage.takeAPiece()
            }
            #expect(try stage.sentBodyBytes() == twoPieces)
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
        }
    }

    /// The client itself has stopped reading.
    @Test func suspendsTheReadTimeoutUnderBackPressure() async throws {
        try await ExchangeStage.run(get()) { stage throws in
            stage.send()
            try stage.receive("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            try stage.receive(String(repeating: "x", count: 256 << 10))
            stage.read()
            stage.pass(.seconds(3600))
            #expect(!stage.exchange.isOver)
            stage.exchange.readOn()
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
        }
    }

    @Test func drainsADiscardedBodyForFiftyMilliseconds() async throws {
        try await ExchangeStage.run(get()) { stage throws in
            stage.send()
            try stage.receive("HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n")
            stage.exchange.discardRest()
            stage.expectEnd(after: .milliseconds(50), by: .cancelled)
        }
    }

    @Test func drainsUpTo64KiBOfADiscardedBody() async throws {
        try await ExchangeStage.run(get()) { stage throws in
            stage.send()
            try stage.receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nF4240\r\n")
            stage.exchange.discardRest()
            try stage.receive(String(repeating: "x", count: 64 << 10))
            #expect(!stage.exchange.isOver)
            try stage.receive("x")
            #expect(stage.exchange.isOver)
        }
    }

    @Test(arguments: [(65_536, 0, false), (65_537, 0, true), (65_536, 10_000, false), (70_000, 40_000, true)])
    func doesNotDrainALongerBody(length: Int, received: Int, ends: Bool) async throws {
        try await ExchangeStage.run(get()) { stage throws in
            stage.send()
            try stage.receive("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
            try stage.receive(String(repeating: "x", count: received))
            stage.exchange.discardRest()
            #expect(stage.exchange.isOver == ends)
        }
    }

    // MARK: Writing

    @Test func endsAStalledUploadInAWriteTimeout() async throws {
        let code = try await ExchangeStage.run(post(twoPieces)) { stage throws in
            stage.peer.limitsWrites = true
            stage.send()
            stage.expectEnd(after: .seconds(60), by: .writeTimeout)
            #expect(try stage.sentBodyBytes() == 0)
            #expect(!stage.isConnected)
        }
        #expect(code == .writeTimeout)
    }

    @Test func restartsTheWriteTimeoutAtEachPiece() async throws {
        try await ExchangeStage.run(post(twoPieces)) { stage throws in
            stage.peer.limitsWrites = true
            stage.send()
            stage.pass(.seconds(60) - instant)
            stage.takeAPiece()
            #expect(try stage.sentBodyBytes() == twoPieces - 1)
            stage.expectEnd(after: .seconds(60), by: .writeTimeout)
        }
    }

    @Test(arguments: [1, RequestUpload.sliceBytes + 1])
    func delaysABodyWithExpectForASecond(byteCount: Int) async throws {
        try await ExchangeStage.run(post(byteCount, fields: [.expect: "100-continue"])) { stage throws in
            stage.send()
            stage.pass(.seconds(1) - instant)
            #expect(try stage.sentBodyBytes() == 0)
            stage.pass(instant)
            #expect(try stage.sentBodyBytes() == byteCount)
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
        }
    }

    @Test func appliesTheReadTimeoutToAResponseInsteadOf100() async throws {
        try await ExchangeStage.run(post(1, fields: [.expect: "100-continue"])) { stage throws in
            stage.send()
            stage.pass(.seconds(1) - instant)
            try stage.receive("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 5\r\n\r\nhel")
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
            #expect(try stage.sentBodyBytes() == 0)
        }
    }

    // MARK: Waiting

    @Test func endsWaitingForAConnectionInAPoolTimeout() async throws {
        let code = try await ExchangeStage.run(get(), configuring: { $0.pool.connectionsTotal = 1 }) { stage throws in
            #expect(stage.engine.shared.permits.acquire(now: stage.engine.now) {})
            stage.engine.serve(stage.exchange)
            stage.expectEnd(after: .seconds(30), by: .poolTimeout)
            let error = stage.exchange.record.metrics.error
            #expect(error?.detail.hasPrefix("no connection to http://") == true)
            #expect(error?.detail.hasSuffix(" was made within 30 s") == true)
            #expect(error?.hint?.hasPrefix("raise pool.connectionsTotal or timeouts.poolWait") == true)
        }
        #expect(code == .poolTimeout)
    }

    @Test func endsASilentNameServerInAConnectTimeout() async throws {
        let code = try await ExchangeStage.run(get("http://example.org/")) { stage throws in
            stage.engine.serve(stage.exchange)
            stage.expectEnd(after: .seconds(10), by: .connectTimeout)
        }
        #expect(code == .connectTimeout)
    }

    @Test func endsASilentAddressInAConnectTimeout() async throws {
        let code = try await ExchangeStage.run(get()) { stage throws in
            stage.serve()
            #expect(stage.network.attempts.map(\.address) == ["127.0.0.1:80"])
            stage.expectEnd(after: .seconds(10), by: .connectTimeout)
        }
        #expect(code == .connectTimeout)
    }

    /// The limit covers any number of addresses and any lookup time.
    @Test func appliesTheConnectTimeoutToAllAddressesTogether() async throws {
        try await ExchangeStage.run(get("http://example.org/"), at: Self.addresses) { stage throws in
            stage.serve()
            let begin = stage.engine.now
            stage.pass(.seconds(1))
            #expect(stage.network.attempts.count == 3)
            stage.expectEnd(after: .seconds(9), by: .connectTimeout)
            #expect(stage.engine.now == begin.advanced(by: .seconds(10)))
        }
    }

    @Test func triesTheNextAddressAfter250Milliseconds() async throws {
        try await ExchangeStage.run(get("http://example.org/"), at: Self.addresses) { stage throws in
            stage.serve()
            #expect(stage.network.attempts.map(\.address) == ["[2001:db8::1]:80"])
            stage.pass(.milliseconds(250) - instant)
            #expect(stage.network.attempts.count == 1)
            stage.pass(instant)
            #expect(stage.network.attempts.map(\.address) == ["[2001:db8::1]:80", "192.0.2.1:80"])
            stage.pass(.milliseconds(250) - instant)
            #expect(stage.network.attempts.count == 2)
            stage.pass(instant)
            #expect(stage.network.attempts.map(\.address).last == "[2001:db8::2]:80")
        }
    }

    @Test func endsASilentHandshakeInATLSTimeout() async throws {
        let code = try await ExchangeStage.run(get("https://127.0.0.1/")) { stage throws in
            stage.serve()
            stage.pass(.seconds(10) - instant)
            let attempt = try #require(stage.network.attempts.first)
            try attempt.accept()
            // The handshake has a separate timeout, which starts with it.
            stage.expectEnd(after: .seconds(10), by: .tlsTimeout)
            #expect(!attempt.isConnected)
        }
        #expect(code == .tlsTimeout)
    }

    @Test func closesAnIdleConnectionAfterAMinute() async throws {
        let code = try await ExchangeStage.run(get()) { stage throws in
            stage.serve()
            let attempt = try #require(stage.network.attempts.first)
            try attempt.accept()
            try attempt.receive("HTTP/1.1 204 No Content\r\n\r\n")
            #expect(stage.exchange.isOver)
            stage.pass(.seconds(60) - instant)
            #expect(attempt.isConnected)
            #expect(stage.engine.shared.counters.count(of: .pools) == 1)
            stage.pass(instant)
            #expect(!attempt.isConnected)
            #expect(stage.engine.shared.counters.count(of: .pools) == 0)
        }
        #expect(code == nil)
    }

    @Test func hasNoTimeoutIfTheLimitIsNil() async throws {
        let day = Duration.seconds(24 * 3600)
        try await ExchangeStage.run(get(), configuring: { $0.timeouts.idleRead = nil }) { stage throws in
            stage.send()
            stage.pass(day)
            #expect(!stage.exchange.isOver)
        }
        try await ExchangeStage.run(post(twoPieces), configuring: { $0.timeouts.idleWrite = nil }) { stage throws in
            stage.peer.limitsWrites = true
            stage.send()
            stage.pass(day)
            #expect(!stage.exchange.isOver)
        }
        try await ExchangeStage.run(
            get("http://example.org/"),
            configuring: {
                $0.timeouts.connect = nil
                $0.timeouts.poolWait = nil
            }
        ) { stage throws in
            stage.engine.serve(stage.exchange)
            stage.pass(day)
            #expect(!stage.exchange.isOver)
        }
    }

    @Test func keepsIdleConnectionsForAMinuteAtAnyAge() {
        let limits = ConnectionPoolLimits()
        var pool = PoolStateMachine(
            limit: limits.connectionsPerOrigin,
            idleTimeout: limits.idleTimeout,
            maximumAge: limits.maximumAge
        )
        let begin = MonotonicInstant(nanoseconds: 1_000_000_000)
        let late = begin.advanced(by: .seconds(365 * 24 * 3600))
        pool.beginConnecting(1, now: begin)
        #expect(pool.connected(1, now: begin) == .keepIdle)
        #expect(pool.nextExpiry == begin.advanced(by: .seconds(60)))
        #expect(pool.expire(now: begin.advanced(by: .seconds(60) - instant)) == [])
        #expect(pool.acquire(1, now: late) == .lease(1, closing: []))
        #expect(pool.released(1, now: late) == .keepIdle)
        #expect(pool.expire(now: late.advanced(by: .seconds(60) - instant)) == [])
        #expect(pool.expire(now: late.advanced(by: .seconds(60))) == [1])
    }
}
