internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct WaterfallTests {
    // MARK: Phases

    @Test func cutsAFirstExchangeIntoAllPhases() throws {
        let spans = WaterfallSpan.spans(of: try Sample.everything(), now: Sample.instant(0))
        #expect(spans.map(\.phase) == WaterfallPhase.allCases)
        #expect(spans.map { $0.end - $0.begin } == [1, 2, 3, 4, 5, 6, 7].map { $0 * 1_000_000 })
    }

    @Test func leavesNoGapAndNoOverlap() throws {
        for hop in try Sample.all() {
            let spans = WaterfallSpan.spans(of: hop, now: Sample.instant(100))
            #expect(spans.first?.begin == 0)
            for (span, next) in zip(spans, spans.dropFirst()) { #expect(span.end == next.begin) }
            for span in spans { #expect(span.end >= span.begin) }
            #expect(spans.last?.end == hop.duration(now: Sample.instant(100)).wholeNanoseconds)
        }
    }

    @Test func countsTheWaitForAReusedConnectionAsQueue() throws {
        var hop = try Sample.hop(endingAt: 20)
        hop.isReused = true
        hop.connectionReady = Sample.instant(12)
        hop.requestBegin = Sample.instant(12)
        hop.requestEnd = Sample.instant(13)
        hop.responseBegin = Sample.instant(18)
        let spans = WaterfallSpan.spans(of: hop, now: Sample.instant(0))
        #expect(spans.map(\.phase) == [.queue, .send, .wait, .receive])
        #expect(spans.map(\.duration) == [12, 1, 5, 2].map { .milliseconds($0) })
    }

    @Test func countsNothingThatWasBeforeTheExchange() throws {
        var hop = try Sample.everything()
        hop.begin = Sample.instant(8)
        let spans = WaterfallSpan.spans(of: hop, now: Sample.instant(0))
        #expect(spans.map(\.phase) == [.tls, .send, .wait, .receive])
        #expect(spans.first?.duration == .milliseconds(2))
    }

    @Test func endsSendingWhenAnAnswerDoesNotWaitForIt() throws {
        var hop = try Sample.hop(endingAt: 20)
        hop.requestBegin = Sample.instant(0)
        hop.responseBegin = Sample.instant(5)
        hop.requestEnd = Sample.instant(15)
        #expect(WaterfallSpan.spans(of: hop, now: hop.begin).map(\.phase) == [.send, .receive])
        hop.requestEnd = nil
        #expect(WaterfallSpan.spans(of: hop, now: hop.begin).map(\.phase) == [.send, .receive])
    }

    @Test(arguments: [
        (ApusError.Code.connectFailed, WaterfallPhase.connect), (.hostNotFound, .resolve), (.tlsFailed, .tls),
        (.poolTimeout, .queue), (.cancelled, .queue),
    ])
    func attributesAFailureToItsPhase(code: ApusError.Code, phase: WaterfallPhase) throws {
        var hop = try Sample.hop(endingAt: 20)
        hop.error = ApusError(code, "for the test")
        #expect(WaterfallSpan.spans(of: hop, now: hop.begin).map(\.phase) == [phase])
    }

    @Test func survivesAClockThatSaysNonsense() throws {
        var hop = try Sample.everything()
        hop.end = Sample.instant(-5)
        hop.begin = Sample.instant(0)
        let spans = WaterfallSpan.spans(of: hop, now: hop.begin)
        #expect(spans.count == 1)
        #expect(spans.first?.duration == .zero)
        #expect(Waterfall(hops: [[hop]]).text().contains("/users/1"))
    }

    // MARK: Axis

    @Test func keepsIdleTimeUnlessToldToCutIt() throws {
        let first = try Sample.hop(endingAt: 10)
        var second = try Sample.hop(endingAt: 1010)
        second.begin = Sample.instant(1000)
        #expect(Waterfall(hops: [[first], [second]]).duration == .milliseconds(1010))
        let cut = Waterfall(hops: [[second], [first]], idleTime: .cut)
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
    func saysTimesInThreeDigits(duration: Duration, text: String) {
        #expect(WaterfallScale.label(duration) == text)
    }
}

@Suite struct WaterfallTextTests {
    @Test func drawsOneLineAHop() throws {
        let text = Waterfall(hops: [[try Sample.everything()]]).text(columns: 74)
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
    func keepsToTheColumns(columns: Int) throws {
        let waterfall = Waterfall(hops: [try Sample.all()], names: ["a name that is longer than anybody needs"])
        for line in waterfall.text(columns: columns).split(separator: "\n").dropLast(2) {
            #expect(line.count <= columns)
        }
    }

    @Test(arguments: [40, 61, 80, 133])
    func drawsAsManyColumnsInColour(columns: Int) throws {
        let waterfall = Waterfall(hops: [try Sample.all(), try Sample.all()], names: ["1", "2"])
        let plain = waterfall.text(columns: columns).split(separator: "\n").map(\.count)
        let coloured = waterfall.text(columns: columns, colours: true)
        let stripped = coloured.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(stripped.split(separator: "\n").map(\.count) == plain)
        #expect(coloured.split(separator: "\n").allSatisfy { !$0.contains("\u{1B}") || $0.contains("\u{1B}[0m") })
    }

    @Test func showsAnExchangeOfAnInstant() throws {
        let long = try Sample.hop(endingAt: 10_000)
        var short = try Sample.hop(endingAt: 5000)
        short.begin = Sample.instant(5000)
        let line = Waterfall(hops: [[long], [short]]).text().split(separator: "\n")[2]
        #expect(line.contains("·"))
    }

    @Test func saysThatThereIsNothing() {
        #expect(Waterfall([]).text() == "no requests")
        #expect(Waterfall(hops: [[], []]).text() == "no requests")
    }

    @Test func setsOffWhatFollows() throws {
        var second = try Sample.hop(endingAt: 20, cause: .redirect)
        second.begin = Sample.instant(10)
        let text = Waterfall(hops: [[try Sample.hop(endingAt: 10), second]]).text()
        #expect(text.contains("↳ /users/1"))
    }
}

@Suite struct WaterfallSafetyTests {
    @Test func showsControlCharactersAndDoesNotObeyThem() throws {
        let name = "\u{1B}[31m\u{9B}2J\r\nred\u{202E}\u{7}"
        let waterfall = Waterfall(hops: [[try Sample.everything()]], names: [name])
        let wanted = Set("\u{1B}\u{9B}\r\u{202E}\u{7}".unicodeScalars)
        #expect(!waterfall.text().unicodeScalars.contains(where: wanted.contains))
        #expect(!waterfall.svg().unicodeScalars.contains(where: wanted.contains))
        #expect(waterfall.text().contains("�[31m"))
    }

    @Test func escapesWhatIsMarkup() throws {
        var hop = try Sample.everything()
        hop.error = ApusError(.malformedResponse, "it says <script>\"&'</script>")
        let svg = Waterfall(hops: [[hop]], names: ["</text><script>"]).svg()
        #expect(!svg.contains("<script>"))
        #expect(svg.contains("it says &lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;"))
    }

    @Test func keepsSecretsToItself() throws {
        let target = try TargetURI("https://swift:hunter2@example.org/a?token=secret&b=2")
        var hop = HopMetrics(method: .get, target: target, cause: .first, begin: Sample.instant(0))
        hop.end = Sample.instant(5)
        hop.error = ApusError(.connectFailed, "no way to https://swift:hunter2@example.org/")
        let waterfall = Waterfall(hops: [[hop]])
        for picture in [waterfall.text(columns: 120), waterfall.svg()] {
            #expect(!picture.contains("hunter2"))
            #expect(!picture.contains("secret"))
            #expect(picture.contains("/a?token=…&") || picture.contains("/a?token=…&amp;"))
        }
    }

    @Test func isOneWellFormedElement() throws {
        let svg = Waterfall(hops: [try Sample.all(), []], names: ["a & b"]).svg()
        var depth = 0
        for match in svg.matches(of: /<(\/?)([a-z]+)([^<>]*?)(\/?)>/) {
            if !match.output.1.isEmpty { depth -= 1 } else if match.output.4.isEmpty { depth += 1 }
            #expect(depth >= 0)
        }
        #expect(depth == 0)
        #expect(svg.hasPrefix("<svg xmlns="))
    }
}

/// Exchanges whose clocks are known.
private enum Sample {
    static func instant(_ milliseconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: UInt64(1_000_000_000 + milliseconds * 1_000_000))
    }

    static func hop(endingAt end: Int, cause: HopCause = .first) throws -> HopMetrics {
        let target = try TargetURI("https://example.org/users/1?q=1")
        var hop = HopMetrics(method: .get, target: target, cause: cause, begin: instant(0))
        hop.end = instant(end)
        hop.status = .ok
        return hop
    }

    /// Every phase a millisecond longer than the one before, from 1 ms on.
    static func everything() throws -> HopMetrics {
        var hop = try hop(endingAt: 28)
        hop.resolveBegin = instant(1)
        hop.resolveEnd = instant(3)
        hop.connectBegin = instant(3)
        hop.connectEnd = instant(6)
        hop.tlsBegin = instant(6)
        hop.tlsEnd = instant(10)
        hop.connectionReady = instant(10)
        hop.requestBegin = instant(10)
        hop.requestEnd = instant(15)
        hop.responseBegin = instant(21)
        hop.connectionNumber = 1
        hop.remoteAddress = "192.0.2.1:443"
        hop.networkProtocol = "http/1.1"
        hop.tlsVersion = "TLSv1.3"
        return hop
    }

    /// One that went well, one that follows, one that failed, one that goes on, one of no time at all.
    static func all() throws -> [HopMetrics] {
        var next = try hop(endingAt: 40, cause: .redirect)
        next.begin = instant(28)
        next.requestBegin = instant(30)
        var failed = try hop(endingAt: 60, cause: .retry)
        failed.begin = instant(40)
        failed.error = ApusError(.connectFailed, "nobody listens")
        var running = try hop(endingAt: 0)
        running.begin = instant(60)
        running.end = nil
        var none = try hop(endingAt: 70)
        none.begin = instant(70)
        return [try everything(), next, failed, running, none]
    }
}
