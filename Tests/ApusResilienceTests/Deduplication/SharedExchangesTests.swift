internal import Testing

@testable internal import ApusResilience

@Suite struct SharedExchangesTests {
    private typealias Exchanges = SharedExchanges<String, Int, String>
    private typealias Caller = Exchanges.Caller

    /// Returns the departure as a text.
    private func text(_ departure: Exchanges.Departure) -> String {
        switch departure {
        case .tooLate: "too late"
        case .left: "left"
        case .leftAsLast(let work): "left as last, \(work ?? "no work")"
        }
    }

    @Test func beginsOneExchangeForEachKey() {
        var exchanges = Exchanges()
        #expect(exchanges.enter("a", Caller()) == Exchanges.Entry(id: 1, isFirst: true))
        #expect(exchanges.enter("a", Caller()) == Exchanges.Entry(id: 1, isFirst: false))
        #expect(exchanges.enter("b", Caller()) == Exchanges.Entry(id: 2, isFirst: true))
        #expect(exchanges.enter("a", Caller()) == Exchanges.Entry(id: 1, isFirst: false))
        #expect(exchanges.counts == (2, 4))
    }

    @Test func returnsItsCallersInOrderAtTheEnd() {
        var exchanges = Exchanges()
        let callers = [Caller(), Caller(), Caller()]
        for caller in callers { _ = exchanges.enter("a", caller) }
        let ended = exchanges.end(1)
        #expect(ended.count == 3)
        #expect(zip(ended, callers).allSatisfy { $0 === $1 })
        #expect(exchanges.counts == (0, 0))
        #expect(exchanges.end(1).isEmpty)
    }

    @Test func beginsAnotherExchangeAfterTheEnd() {
        var exchanges = Exchanges()
        _ = exchanges.enter("a", Caller())
        _ = exchanges.end(1)
        #expect(exchanges.enter("a", Caller()) == Exchanges.Entry(id: 2, isFirst: true))
    }

    @Test func cancelsTheWorkWhenTheLastLeaves() {
        var exchanges = Exchanges()
        let (first, second) = (Caller(), Caller())
        _ = exchanges.enter("a", first)
        exchanges.hold("work", 1)
        _ = exchanges.enter("a", second)
        #expect(text(exchanges.leave(first, 1)) == "left")
        #expect(text(exchanges.leave(first, 1)) == "too late")
        #expect(exchanges.counts == (1, 1))
        #expect(text(exchanges.leave(second, 1)) == "left as last, work")
        #expect(exchanges.counts == (0, 0))
        #expect(exchanges.end(1).isEmpty)
        #expect(exchanges.enter("a", Caller()) == Exchanges.Entry(id: 2, isFirst: true))
    }

    @Test func letsNoCallerLeaveAfterTheEnd() {
        var exchanges = Exchanges()
        let caller = Caller()
        _ = exchanges.enter("a", caller)
        _ = exchanges.end(1)
        #expect(text(exchanges.leave(caller, 1)) == "too late")
        exchanges.hold("work", 1)
        #expect(exchanges.counts == (0, 0))
    }

    @Test func letsNoRequestJoinAClosedExchange() {
        var exchanges = Exchanges()
        let (first, second) = (Caller(), Caller())
        _ = exchanges.enter("a", first)
        _ = exchanges.enter("b", Caller())
        exchanges.close { $0 == "a" }
        #expect(exchanges.counts == (2, 2))
        #expect(exchanges.enter("a", second) == Exchanges.Entry(id: 3, isFirst: true))
        #expect(exchanges.enter("b", Caller()) == Exchanges.Entry(id: 2, isFirst: false))
        // The end of the closed exchange does not affect the one that replaced it.
        #expect(exchanges.end(1).first === first)
        #expect(exchanges.enter("a", Caller()) == Exchanges.Entry(id: 3, isFirst: false))
        #expect(exchanges.end(3).first === second)
    }
}
