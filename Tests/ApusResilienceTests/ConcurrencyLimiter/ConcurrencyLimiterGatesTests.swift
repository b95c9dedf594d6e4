internal import Apus
internal import Testing

@testable internal import ApusResilience

@Suite struct ConcurrencyLimiterGatesTests {
    private func word(_ entry: ConcurrencyLimiterGates.Entry) -> String {
        switch entry {
        case .admitted: "admitted"
        case .waiting: "waiting"
        case .refused: "refused"
        }
    }

    @Test func handsAPermitOnOnlyWithinTheLimit() {
        var gates = ConcurrencyLimiterGates(limit: 1, maximumWaiting: 1)
        #expect(word(gates.enter(nil)) == "admitted")
        #expect(word(gates.enter(nil)) == "waiting")
        #expect(word(gates.enter(nil)) == "refused")
        #expect(word(gates.enter(nil, isUrgent: true)) == "admitted")
        #expect(word(gates.enter(nil, isUrgent: true)) == "admitted")
        #expect(gates.insideCount == 3)
        let first = gates.leave(nil)
        #expect(first == nil)
        let second = gates.leave(nil)
        #expect(second == nil)
        #expect((gates.insideCount, gates.waitingCount) == (1, 1))
        let third = gates.leave(nil)
        #expect(third != nil)
        #expect((gates.insideCount, gates.waitingCount) == (1, 0))
        let fourth = gates.leave(nil)
        #expect(fourth == nil)
        #expect(gates.insideCount == 0)
    }

    @Test func countsUrgentRequestsTowardsTheLimit() {
        var gates = ConcurrencyLimiterGates(limit: 2, maximumWaiting: 0)
        #expect(word(gates.enter(nil, isUrgent: true)) == "admitted")
        #expect(word(gates.enter(nil)) == "admitted")
        #expect(word(gates.enter(nil)) == "refused")
        let next = gates.leave(nil)
        #expect(next == nil)
        #expect(word(gates.enter(nil)) == "admitted")
    }
}
