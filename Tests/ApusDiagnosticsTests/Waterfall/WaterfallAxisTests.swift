internal import ApusCore
internal import Testing

@testable internal import ApusDiagnostics

@Suite(.timeLimit(.minutes(5))) struct WaterfallAxisTests {
    private static func instant(_ milliseconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: UInt64(1_000_000_000 + milliseconds * 1_000_000))
    }

    private func place(_ axis: WaterfallAxis, _ begin: Int) -> Int64 {
        axis.place(WaterfallSpan(phase: .wait, begin: 0, end: 1), beginning: Self.instant(begin)).begin
    }

    private func axis(_ exchanges: [(Int, Int)], _ idleTime: Waterfall.IdleTime = .cut) -> WaterfallAxis {
        let spans = exchanges.map { (begin: Self.instant($0.0), end: Self.instant($0.1)) }
        return WaterfallAxis(spans, idleTime: idleTime)
    }

    @Test func findsTheCutBeforeAnInstant() {
        let second = Int64(1_000_000)
        let axis = axis([(10, 20), (30, 40), (35, 60), (100, 110)])
        let places = [10, 15, 30, 35, 50, 100, 105].map { place(axis, $0) }
        #expect(places == [0, 5, 10, 15, 30, 40, 45].map { $0 * second })
        #expect(axis.duration == .milliseconds(50))
        #expect(axis.idleTime == .milliseconds(50))
        #expect(place(axis, 9) == 0)
    }

    @Test func keepsIdleTimeThatIsShown() {
        let axis = axis([(10, 20), (100, 110)], .shown)
        #expect(place(axis, 100) == 90_000_000)
        #expect(place(self.axis([]), 7) == 0)
    }

    /// An earlier version searched all exchanges for each of them.
    @Test func handlesManyPauses() {
        let count = 60_000
        let axis = axis((0..<count).map { (10 * $0, 10 * $0 + 1) })
        #expect((0..<count).allSatisfy { place(axis, 10 * $0) == Int64($0) * 1_000_000 })
    }
}
