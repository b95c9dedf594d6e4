internal import ApusCore
internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

/// The engine's time limits as they are by default, at the limit and a nanosecond before it.
@Suite(.timeLimit(.minutes(5))) struct TimeoutTests {
    /// What a server sent before it fell silent.
    struct Beginning: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: String
    }

    static let beginnings: [Beginning] = [
        Beginning(testDescription: "half a status line", bytes: "HTTP/1.1 200 O"),
        Beginning(testDescription: "an informational response", bytes: "HTTP/1.1 103 Early Hints\r\n\r\n"),
        Beginning(
            testDescription: "half a content",
            bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"
        ),
    ]

    static let addresses = [
        HostAddress("2001:db8::1", isIPv6: true),
        HostAddress("2001:db8::2", isIPv6: true),
        HostAddress("192.0.2.1", isIPv6: false),
    ]

    private let instant = Duration.nanoseconds(1)
    /// A content that goes out in two pieces.
    private let twoPieces = HTTP1Upload.sliceBytes + 1

    private func get(_ url: String = "http://127.0.0.1/") throws -> RequestMessage { try RequestMessage(url) }

    private func post(_ byteCount: Int, fields: HTTPFields = [:]) throws -> RequestMessage {
        let content = String(repeating: "x", count: byteCount)
        return try RequestMessage("http://127.0.0.1/", method: .post, fields: fields, body: .string(content))
    }

    // MARK: Reading

    @Test func aServerThatSaysNothingEndsInAReadTimeout() async throws {
        let code = try await ExchangeStage.play(get()) { stage throws in
            stage.send()
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
            #expect(!stage.isConnected)
        }
        #expect(code == .readTimeout)
    }

    @Test(arguments: beginnings) func eachReadBeginsTheReadLimitAnew(beginning: Beginning) async throws {
        try await ExchangeStage.play(get()) { stage throws in
            stage.send()
            stage.pass(.seconds(60) - instant)
            try stage.receive(beginning.bytes)
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
        }
    }

    @Test func theReadLimitBeginsWhenTheRequestIsWritten() async throws {
        try await ExchangeStage.play(post(twoPieces)) { stage throws in
            stage.peer.isReluctant = true
            stage.send()
            for _ in 0..<2 {
                stage.pass(.seconds(60) - instant)
                stage.takeAPiece()
            }
            #expect(try stage.sentContent() == twoPieces)
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
        }
    }

    /// It is this side that does not read then.
    @Test func aReaderThatHasEnoughIsNoReadTimeout() async throws {
        try await ExchangeStage.play(get()) { stage throws in
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

    @Test func whatIsLeftOfAnAnswerIsReadForNobodyForFiftyMilliseconds() async throws {
        try await ExchangeStage.play(get()) { stage throws in
            stage.send()
            try stage.receive("HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n")
            stage.exchange.discardRest()
            stage.expectEnd(after: .milliseconds(50), by: .cancelled)
        }
    }

    @Test func upTo64KiBOfAnAnswerAreReadForNobody() async throws {
        try await ExchangeStage.play(get()) { stage throws in
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
    func moreThanThatIsNotReadAtAll(length: Int, came: Int, ends: Bool) async throws {
        try await ExchangeStage.play(get()) { stage throws in
            stage.send()
            try stage.receive("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
            try stage.receive(String(repeating: "x", count: came))
            stage.exchange.discardRest()
            #expect(stage.exchange.isOver == ends)
        }
    }

    // MARK: Writing

    @Test func aPeerThatTakesNothingEndsInAWriteTimeout() async throws {
        let code = try await ExchangeStage.play(post(twoPieces)) { stage throws in
            stage.peer.isReluctant = true
            stage.send()
            stage.expectEnd(after: .seconds(60), by: .writeTimeout)
            #expect(try stage.sentContent() == 0)
            #expect(!stage.isConnected)
        }
        #expect(code == .writeTimeout)
    }

    @Test func eachPieceThatIsTakenBeginsTheWriteLimitAnew() async throws {
        try await ExchangeStage.play(post(twoPieces)) { stage throws in
            stage.peer.isReluctant = true
            stage.send()
            stage.pass(.seconds(60) - instant)
            stage.takeAPiece()
            #expect(try stage.sentContent() == twoPieces - 1)
            stage.expectEnd(after: .seconds(60), by: .writeTimeout)
        }
    }

    @Test(arguments: [1, HTTP1Upload.sliceBytes + 1])
    func aContentThatExpectsTheGoAheadIsHeldBackForASecond(byteCount: Int) async throws {
        try await ExchangeStage.play(post(byteCount, fields: [.expect: "100-continue"])) { stage throws in
            stage.send()
            stage.pass(.seconds(1) - instant)
            #expect(try stage.sentContent() == 0)
            stage.pass(instant)
            #expect(try stage.sentContent() == byteCount)
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
        }
    }

    @Test func anAnswerInsteadOfTheGoAheadIsWaitedForLikeAnyOther() async throws {
        try await ExchangeStage.play(post(1, fields: [.expect: "100-continue"])) { stage throws in
            stage.send()
            stage.pass(.seconds(1) - instant)
            try stage.receive("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 5\r\n\r\nhel")
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
            #expect(try stage.sentContent() == 0)
        }
    }

    // MARK: Waiting

    @Test func waitingForAConnectionEndsInAPoolTimeout() async throws {
        let code = try await ExchangeStage.play(get(), configuring: { $0.pool.connectionsTotal = 1 }) { stage throws in
            #expect(stage.home.shared.permits.acquire(now: stage.home.now) {})
            stage.home.serve(stage.exchange)
            stage.expectEnd(after: .seconds(30), by: .poolTimeout)
        }
        #expect(code == .poolTimeout)
    }

    @Test func aNameServerThatSaysNothingEndsInAConnectTimeout() async throws {
        let code = try await ExchangeStage.play(get("http://example.org/")) { stage throws in
            stage.home.serve(stage.exchange)
            stage.expectEnd(after: .seconds(10), by: .connectTimeout)
        }
        #expect(code == .connectTimeout)
    }

    @Test func anAddressThatSaysNothingEndsInAConnectTimeout() async throws {
        let code = try await ExchangeStage.play(get()) { stage throws in
            stage.serve()
            #expect(stage.switchboard.calls.map(\.address) == ["127.0.0.1:80"])
            stage.expectEnd(after: .seconds(10), by: .connectTimeout)
        }
        #expect(code == .connectTimeout)
    }

    /// However many of them there are, and however long the name server takes.
    @Test func allAddressesShareTheConnectLimit() async throws {
        try await ExchangeStage.play(get("http://example.org/"), at: Self.addresses) { stage throws in
            stage.serve()
            let begin = stage.home.now
            stage.pass(.seconds(1))
            #expect(stage.switchboard.calls.count == 3)
            stage.expectEnd(after: .seconds(9), by: .connectTimeout)
            #expect(stage.home.now == begin.advanced(by: .seconds(10)))
        }
    }

    @Test func theNextAddressIsTriedAfterAQuarterOfASecond() async throws {
        try await ExchangeStage.play(get("http://example.org/"), at: Self.addresses) { stage throws in
            stage.serve()
            #expect(stage.switchboard.calls.map(\.address) == ["[2001:db8::1]:80"])
            stage.pass(.milliseconds(250) - instant)
            #expect(stage.switchboard.calls.count == 1)
            stage.pass(instant)
            #expect(stage.switchboard.calls.map(\.address) == ["[2001:db8::1]:80", "192.0.2.1:80"])
            stage.pass(.milliseconds(250) - instant)
            #expect(stage.switchboard.calls.count == 2)
            stage.pass(instant)
            #expect(stage.switchboard.calls.map(\.address).last == "[2001:db8::2]:80")
        }
    }

    @Test func aHandshakeThatNobodyAnswersEndsInATLSTimeout() async throws {
        let code = try await ExchangeStage.play(get("https://127.0.0.1/")) { stage throws in
            stage.serve()
            stage.pass(.seconds(10) - instant)
            let call = try #require(stage.switchboard.calls.first)
            try call.answer()
            // The handshake has a limit of its own, which begins with it.
            stage.expectEnd(after: .seconds(10), by: .tlsTimeout)
            #expect(!call.isConnected)
        }
        #expect(code == .tlsTimeout)
    }

    @Test func anUnusedConnectionIsClosedAfterAMinute() async throws {
        let code = try await ExchangeStage.play(get()) { stage throws in
            stage.serve()
            let call = try #require(stage.switchboard.calls.first)
            try call.answer()
            try call.receive("HTTP/1.1 204 No Content\r\n\r\n")
            #expect(stage.exchange.isOver)
            stage.pass(.seconds(60) - instant)
            #expect(call.isConnected)
            #expect(stage.home.shared.counters.count(of: .pools) == 1)
            stage.pass(instant)
            #expect(!call.isConnected)
            #expect(stage.home.shared.counters.count(of: .pools) == 0)
        }
        #expect(code == nil)
    }

    @Test func aLimitThatIsNilIsAnyTime() async throws {
        let day = Duration.seconds(24 * 3600)
        try await ExchangeStage.play(get(), configuring: { $0.timeouts.idleRead = nil }) { stage throws in
            stage.send()
            stage.pass(day)
            #expect(!stage.exchange.isOver)
        }
        try await ExchangeStage.play(post(twoPieces), configuring: { $0.timeouts.idleWrite = nil }) { stage throws in
            stage.peer.isReluctant = true
            stage.send()
            stage.pass(day)
            #expect(!stage.exchange.isOver)
        }
        try await ExchangeStage.play(
            get("http://example.org/"),
            configuring: {
                $0.timeouts.connect = nil
                $0.timeouts.poolWait = nil
            }
        ) { stage throws in
            stage.home.serve(stage.exchange)
            stage.pass(day)
            #expect(!stage.exchange.isOver)
        }
    }

    @Test func anUnusedConnectionIsKeptForAMinuteAndUsedAtAnyAge() {
        let limits = PoolLimits()
        var pool = PoolStateMachine(
            limit: limits.connectionsPerOrigin,
            idleTimeout: limits.idleTimeout,
            maximumAge: limits.maximumAge
        )
        let begin = MonotonicInstant(nanoseconds: 1_000_000_000)
        let late = begin.advanced(by: .seconds(365 * 24 * 3600))
        pool.beginConnecting(1, now: begin)
        #expect(pool.connected(1, now: begin) == .park)
        #expect(pool.nextExpiry == begin.advanced(by: .seconds(60)))
        #expect(pool.expire(now: begin.advanced(by: .seconds(60) - instant)) == [])
        #expect(pool.acquire(1, now: late) == .lease(1, closing: []))
        #expect(pool.released(1, now: late) == .park)
        #expect(pool.expire(now: late.advanced(by: .seconds(60) - instant)) == [])
        #expect(pool.expire(now: late.advanced(by: .seconds(60))) == [1])
    }
}
