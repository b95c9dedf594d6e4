internal import Testing

@testable internal import ApusCore

@Suite struct RetryBudgetTests {
    private func instant(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: UInt64(seconds * 1e9))
    }

    private func taken(_ ledger: RetryLedger, at seconds: Double) -> Int {
        var count = 0
        while count < 1000, ledger.takeRetry(at: instant(seconds)) { count += 1 }
        return count
    }

    @Test func allowsTheMinimumWithoutTraffic() {
        #expect(taken(RetryLedger(RetryBudget(share: 0.2, minimum: 4)), at: 1) == 4)
    }

    @Test func allowsAShareOfTheTraffic() {
        let ledger = RetryLedger(RetryBudget(share: 0.2, minimum: 4))
        for _ in 0..<100 { ledger.noteAttempt(at: instant(1)) }
        #expect(taken(ledger, at: 1.5) == 20)
        #expect(taken(ledger, at: 5) == 0)
    }

    @Test func forgetsAfterTenSeconds() {
        let ledger = RetryLedger(RetryBudget(share: 1, minimum: 0))
        for second in 1...10 { ledger.noteAttempt(at: instant(Double(second))) }
        #expect(taken(ledger, at: 10) == 10)
        #expect(taken(ledger, at: 19) == 0)
        ledger.noteAttempt(at: instant(25))
        #expect(taken(ledger, at: 25) == 1)
        ledger.noteAttempt(at: instant(1000))
        #expect(taken(ledger, at: 1000) == 1)
    }

    @Test func allowsNoRetriesWithAnEmptyBudget() {
        #expect(taken(RetryLedger(RetryBudget(share: 0, minimum: 0)), at: 1) == 0)
    }
}
