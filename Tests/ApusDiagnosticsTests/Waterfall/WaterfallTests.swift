internal import HTTPTypes
internal import Testing

@testable internal import ApusCore
@testable internal import ApusDiagnostics

@Suite struct WaterfallTests {
    // MARK: Phases

    @Test func splitsAFirstExchangeIntoAllPhases() throws {
        let spans = WaterfallSpan.spans(of: try Sample.everything(), now: Sample.instant(0))
        #expect(spans.map(\.phase) == WaterfallPhase.allCases)
        #expect(spans.map { $0.end - $0.begin } == [1, 2, 3, 4, 5, 6, 7].map { $0 * 1_000_000 })
    }

    @Test func leavesNoGapAndNoOverlap() throws {
        for exchange in try Sample.all() {
            let spans = WaterfallSpan.spans(of: exchange, now: Sample.instant(100))
            #expect(spans.first?.begin == 0)
            for (span, next) in zip(spans, spans.dropFirst()) { #expect(span.end == next.begin) }
            for span in spans { #expect(span.end >= span.begin) }
            #expect(spans.last?.end == exchange.duration(now: Sample.instant(100)).wholeNanoseconds)
        }
    }

    @Test func countsTheWaitForAReusedConnectionAsQueue() throws {
        var exchange = try Sample.exchange(endingAt: 20)
        exchange.isReused = true
        exchange.connectionReady = Sample.instant(12)
        exchange.requestBegin = Sample.instant(12)
        exchange.requestEnd = Sample.instant(13)
        exchange.responseBegin = Sample.instant(18)
        let spans = WaterfallSpan.spans(of: exchange, now: Sample.instant(0))
        #expect(spans.map(\.phase) == [.queue, .send, .wait, .receive])
        #expect(spans.map(\.duration) == [12, 1, 5, 2].map { .milliseconds($0) })
    }

    @Test func countsNothingBeforeTheExchange() throws {
        var exchange = try Sample.everything()
        exchange.begin = Sample.instant(8)
        let spans = WaterfallSpan.spans(of: exchange, now: Sample.instant(0))
        #expect(spans.map(\.phase) == [.tls, .send, .wait, .receive])
        #expect(spans.first?.duration == .milliseconds(2))
    }

    @Test func endsSendingWhenTheResponseBegins() throws {
        var exchange = try Sample.exchange(endingAt: 20)
        exchange.requestBegin = Sample.instant(0)
        exchange.responseBegin = Sample.instant(5)
        exchange.requestEnd = Sample.instant(15)
        #expect(WaterfallSpan.spans(of: exchange, now: exchange.begin).map(\.phase) == [.send, .receive])
        exchange.requestEnd = nil
        #expect(WaterfallSpan.spans(of: exchange, now: exchange.begin).map(\.phase) == [.send, .receive])
    }

    @Test(arguments: [
        (ApusError.Code.connectFailed, WaterfallPhase.connect), (.hostNotFound, .resolve), (.tlsFailed, .tls),
        (.poolTimeout, .queue), (.cancelled, .queue),
    ])
    func attributesAFailureToItsPhase(code: ApusError.Code, phase: WaterfallPhase) throws {
        var exchange = try Sample.exchange(endingAt: 20)
        exchange.error = ApusError(code, "for the test")
        #expect(WaterfallSpan.spans(of: exchange, now: exchange.begin).map(\.phase) == [phase])
    }

    @Test func survivesInconsistentTimes() throws {
        var exchange = try Sample.everything()
        exchange.end = Sample.instant(-5)
        exchange.begin = Sample.instant(0)
        let spans = WaterfallSpan.spans(of: exchange, now: exchange.begin)
        #expect(spans.count == 1)
        #expect(spans.first?.duration == .zero)
        #expect(Waterfall(exchanges: [[exchange]]).text().contains("/users/1"))
    }

    // MARK: Details

    @Test func namesTheConnectionAndTheStream() throws {
        var exchange = try Sample.everything()
        let row = try #require(Waterfall(exchanges: [[exchange]]).rows.first)
        #expect(row.details.contains("connection 1, 192.0.2.1:443, http/1.1, TLSv1.3"))
        exchange.streamNumber = 5
        exchange.isReused = true
        exchange.networkProtocol = "h2"
        let waterfall = Waterfall(exchanges: [[exchange]])
        #expect(
            waterfall.rows.first?.details.contains("connection 1, reused, stream 5, 192.0.2.1:443, h2, TLSv1.3") == true
        )
        #expect(waterfall.svg().contains("connection 1, reused, stream 5, 192.0.2.1:443, h2, TLSv1.3"))
    }

    // MARK: Axis

    @Test func keepsIdleTimeUnlessItIsCut() throws {
        let first = try Sample.exchange(endingAt: 10)
        var second = try Sample.exchange(endingAt: 1010)
        second.begin = Sample.instant(1000)
        #expect(Waterfall(exchanges: [[first], [second]]).duration == .milliseconds(1010))
        let cut = Waterfall(exchanges: [[second], [first]], idleTime: .cut)
        #expect(cut.duration == .milliseconds(20))
        #expect(cut.rows.map(\.begin) == [10_000_000, 0])
        #expect(cut.summary == "2 requests in 20.0 ms; 990 ms of idle time left out")
    }

    @Test(arguments: [
        (Duration.milliseconds(47), 6, ["0", "10 ms", "20 ms", "30 ms", "40 ms"]),
        (.microseconds(900), 4, ["0", "500 µs"]), (.seconds(7), 5, ["0", "2 s", "4 s", "6 s"]),
        (.milliseconds(1200), 4, ["0", "500 ms", "1000 ms"]), (.zero, 5, ["0", "1 ns"]),
    ])
    func marksRoundTimes(duration: Duration, limit: Int, labels: [String]) {
        #expect(WaterfallScale(duration: duration, atMost: limit).ticks.map(\.label) == labels)
    }

    @Test(arguments: [
        (Duration.nanoseconds(300), "0 µs"), (.microseconds(850), "850 µs"), (.microseconds(1250), "1.25 ms"),
        (.microseconds(12_340), "12.3 ms"), (.microseconds(99_960), "100 ms"), (.milliseconds(1250), "1.25 s"),
        (.seconds(75), "75.0 s"),
    ])
    func formatsTimesWithThreeDigits(duration: Duration, text: String) {
        #expect(WaterfallScale.label(duration) == text)
    }
}

@Suite struct WaterfallTextTests {
    @Test func drawsOneLinePerExchange() throws {
        let text = Waterfall(exchanges: [[try Sample.everything()]]).text(columns: 74)
        #expect(
            text == """
                                     0               10 ms           20 ms
                GET /users/1?q=… 200 ·░░░▒▒▒▒▒▓▓▓▓▓▓▓▀▀▀▀▀▀▀▀─────────████████████ 28.0 ms

                · queue  ░ DNS  ▒ connect  ▓ TLS  ▀ send  ─ wait  █ receive
                1 request in 28.0 ms
                """
        )
    }

    @Test(arguments: [40, 60, 80, 120])
    func fitsIntoTheColumns(columns: Int) throws {
        let waterfall = Waterfall(exchanges: [try Sample.all()], names: ["a name that is longer than anybody needs"])
        for line in waterfall.text(columns: columns).split(separator: "\n").dropLast(2) {
            #expect(line.count <= columns)
        }
    }

    @Test(arguments: [40, 61, 80, 133])
    func drawsAsManyColumnsInColor(columns: Int) throws {
        let waterfall = Waterfall(exchanges: [try Sample.all(), try Sample.all()], names: ["1", "2"])
        let plain = waterfall.text(columns: columns).split(separator: "\n").map(\.count)
        let colored = waterfall.text(columns: columns, colors: true)
        let stripped = colored.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(stripped.split(separator: "\n").map(\.count) == plain)
        #expect(colored.split(separator: "\n").allSatisfy { !$0.contains("\u{1B}") || $0.contains("\u{1B}[0m") })
    }

    @Test func showsAVeryShortExchange() throws {
        let long = try Sample.exchange(endingAt: 10_000)
        var short = try Sample.exchange(endingAt: 5000)
        short.begin = Sample.instant(5000)
        let line = Waterfall(exchanges: [[long], [short]]).text().split(separator: "\n")[2]
        #expect(line.contains("·"))
    }

    @Test func describesAnEmptyWaterfall() {
        #expect(Waterfall([]).text() == "no requests")
        #expect(Waterfall(exchanges: [[], []]).text() == "no requests")
    }

    @Test func marksRedirects() throws {
        var second = try Sample.exchange(endingAt: 20, cause: .redirect)
        second.begin = Sample.instant(10)
        let text = Waterfall(exchanges: [[try Sample.exchange(endingAt: 10), second]]).text()
        #expect(text.contains("↳ /users/1"))
    }
}

@Suite struct WaterfallSafetyTests {
    @Test func replacesControlCharacters() throws {
        let name = "\u{1B}[31m\u{9B}2J\r\nred\u{202E}\u{7}"
        let waterfall = Waterfall(exchanges: [[try Sample.everything()]], names: [name])
        let wanted = Set("\u{1B}\u{9B}\r\u{202E}\u{7}".unicodeScalars)
        #expect(!waterfall.text().unicodeScalars.contains(where: wanted.contains))
        #expect(!waterfall.svg().unicodeScalars.contains(where: wanted.contains))
        #expect(waterfall.text().contains("�[31m"))
    }

    @Test func escapesMarkup() throws {
        var exchange = try Sample.everything()
        exchange.error = ApusError(.malformedResponse, "it says <script>\"&'</script>")
        let svg = Waterfall(exchanges: [[exchange]], names: ["</text><script>"]).svg()
        #expect(!svg.contains("<script>"))
        #expect(svg.contains("it says &lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;"))
    }

    @Test func showsNoSecrets() throws {
        let target = try TargetURI("https://swift:hunter2@example.org/a?token=secret&b=2")
        var exchange = ExchangeMetrics(method: .get, target: target, cause: .first, begin: Sample.instant(0))
        exchange.end = Sample.instant(5)
        exchange.error = ApusError(.connectFailed, "no way to https://swift:hunter2@example.org/")
        let waterfall = Waterfall(exchanges: [[exchange]])
        for picture in [waterfall.text(columns: 120), waterfall.svg()] {
            #expect(!picture.contains("hunter2"))
            #expect(!picture.contains("secret"))
            #expect(picture.contains("/a?token=…&") || picture.contains("/a?token=…&amp;"))
        }
    }

    @Test func isOneWellFormedElement() throws {
        let svg = Waterfall(exchanges: [try Sample.all(), []], names: ["a & b"]).svg()
        var depth = 0
        for match in svg.matches(of: /<(\/?)([a-z]+)([^<>]*?)(\/?)>/) {
            if !match.output.1.isEmpty { depth -= 1 } else if match.output.4.isEmpty { depth += 1 }
            #expect(depth >= 0)
        }
        #expect(depth == 0)
        #expect(svg.hasPrefix("<svg xmlns="))
    }
}

/// Exchanges with fixed times.
private enum Sample {
    static func instant(_ milliseconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: UInt64(1_000_000_000 + milliseconds * 1_000_000))
    }

    static func exchange(endingAt end: Int, cause: ExchangeCause = .first) throws -> ExchangeMetrics {
        let target = try TargetURI("https://example.org/users/1?q=1")
        var exchange = ExchangeMetrics(method: .get, target: target, cause: cause, begin: instant(0))
        exchange.end = instant(end)
        exchange.status = .ok
        return exchange
    }

    /// All phases. The first takes 1 ms, each further phase 1 ms more than the previous one.
    static func everything() throws -> ExchangeMetrics {
        var exchange = try exchange(endingAt: 28)
        exchange.resolveBegin = instant(1)
        exchange.resolveEnd = instant(3)
        exchange.connectBegin = instant(3)
        exchange.connectEnd = instant(6)
        exchange.tlsBegin = instant(6)
        exchange.tlsEnd = instant(10)
        exchange.connectionReady = instant(10)
        exchange.requestBegin = instant(10)
        exchange.requestEnd = instant(15)
        exchange.responseBegin = instant(21)
        exchange.connectionNumber = 1
        exchange.remoteAddress = "192.0.2.1:443"
        exchange.networkProtocol = "http/1.1"
        exchange.tlsVersion = "TLSv1.3"
        return exchange
    }

    /// A successful exchange, a redirect, a failed one, an active one, and one without duration.
    static func all() throws -> [ExchangeMetrics] {
        var next = try exchange(endingAt: 40, cause: .redirect)
        next.begin = instant(28)
        next.requestBegin = instant(30)
        var failed = try exchange(endingAt: 60, cause: .retry)
        failed.begin = instant(40)
        failed.error = ApusError(.connectFailed, "nobody listens")
        var running = try exchange(endingAt: 0)
        running.begin = instant(60)
        running.end = nil
        var none = try exchange(endingAt: 70)
        none.begin = instant(70)
        return [try everything(), next, failed, running, none]
    }
}
