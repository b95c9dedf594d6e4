internal import Testing

@testable internal import ApusResilience

@Suite struct HedgeRaceTests {
    private enum Fault: Error { case first, hedge }
    private typealias Race = HedgeRace<Int>

    /// Returns the action after each event, and the outcome, as texts.
    private func run(_ events: Race.Event..., mayHedge: Bool = true) -> (actions: [String], outcome: String) {
        var race = Race()
        let actions = events.map { event in
            switch race.take(event, mayHedge: { mayHedge }) {
            case .nothing: "nothing"
            case .startHedge: "hedge"
            case .finish: "finish"
            case .discard(let response): "discard \(response)"
            }
        }
        return (actions, race.outcome.map { "\($0)" } ?? "none")
    }

    @Test func endsWithTheFirstResponse() {
        let race = run(.ended(.first, .success(1)), .due)
        #expect(race.actions == ["finish", "nothing"])
        #expect(race.outcome == "success(1)")
    }

    @Test func usesTheFirstResult() {
        var race = run(.due, .ended(.hedge, .success(2)), .ended(.first, .success(1)))
        #expect(race.actions == ["hedge", "finish", "discard 1"])
        #expect(race.outcome == "success(2)")
        race = run(.due, .ended(.first, .success(1)), .ended(.hedge, .failure(Fault.hedge)))
        #expect(race.actions == ["hedge", "finish", "nothing"])
        #expect(race.outcome == "success(1)")
    }

    @Test func failsIfTheOnlyRequestFails() {
        let race = run(.ended(.first, .failure(Fault.first)), .due)
        #expect(race.actions == ["finish", "nothing"])
        #expect(race.outcome.contains("first"))
    }

    @Test func waitsForTheOtherIfOneFails() {
        var race = run(.due, .ended(.first, .failure(Fault.first)), .ended(.hedge, .success(2)))
        #expect(race.actions == ["hedge", "nothing", "finish"])
        #expect(race.outcome == "success(2)")
        race = run(.due, .ended(.hedge, .failure(Fault.hedge)), .ended(.first, .success(1)))
        #expect(race.outcome == "success(1)")
    }

    @Test func failsWithTheErrorOfTheFirstRequest() {
        var race = run(.due, .ended(.hedge, .failure(Fault.hedge)), .ended(.first, .failure(Fault.first)))
        #expect(race.actions == ["hedge", "nothing", "finish"])
        #expect(race.outcome.contains("first"))
        race = run(.due, .ended(.first, .failure(Fault.first)), .ended(.hedge, .failure(Fault.hedge)))
        #expect(race.actions == ["hedge", "nothing", "finish"])
        #expect(race.outcome.contains("first"))
    }

    @Test func startsNoHedgeWithoutABudget() {
        let race = run(.due, .ended(.first, .failure(Fault.first)), mayHedge: false)
        #expect(race.actions == ["nothing", "finish"])
    }
}
