internal import Testing

@testable internal import ApusResilience

@Suite struct HedgeBudgetTests {
    @Test(arguments: [(0.1, 10), (0.25, 4), (1.0, 1), (5.0, 1)])
    func earnsOneHedgePerNumberOfRequests(share: Double, requests: Int) {
        var budget = HedgeBudget(share: share)
        for _ in 0..<3 {
            for _ in 0..<requests - 1 { budget.noteRequest() }
            if requests > 1 { #expect(budget.take() == false) }
            budget.noteRequest()
            #expect(budget.take() == true)
            #expect(budget.take() == false)
        }
    }

    @Test(arguments: [0, -1, -Double.infinity]) func allowsNoHedgesWithoutAShare(share: Double) {
        var budget = HedgeBudget(share: share)
        for _ in 0..<1000 { budget.noteRequest() }
        #expect(budget.take() == false)
    }

    @Test func savesUpToTenHedges() {
        var budget = HedgeBudget(share: 0.5)
        for _ in 0..<1000 { budget.noteRequest() }
        #expect((0..<11).map { _ in budget.take() } == Array(repeating: true, count: 10) + [false])
    }

    @Test func acceptsAnyShare() {
        for share in [Double.nan, .infinity, .greatestFiniteMagnitude] {
            var budget = HedgeBudget(share: share)
            budget.noteRequest()
        }
    }
}
