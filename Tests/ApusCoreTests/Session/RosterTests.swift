internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RosterTests {
    private let notes = Notes<String>()

    private func applicant(_ name: String) -> Roster.Applicant {
        Roster.Applicant { [notes] in notes.append(name + ($0.map { ": \($0.code)" } ?? "")) }
    }

    private func enter(_ roster: Roster, _ name: String, again: Bool = false) -> String {
        switch roster.enter(again: again, { applicant(name) }) {
        case .admitted: "admitted"
        case .waiting: "waiting"
        case .refused(let error): "refused: \(error.code)"
        }
    }

    @Test func admitsUpToItsLimit() {
        let roster = Roster(limit: 2)
        #expect(enter(roster, "a") == "admitted")
        #expect(enter(roster, "b") == "admitted")
        #expect(enter(roster, "c") == "waiting")
        #expect(roster.counts == (2, 1))
        roster.leave()
        #expect(notes.all == ["c"])
        #expect(roster.counts == (2, 0))
        roster.leave()
        roster.leave()
        #expect(roster.counts == (0, 0))
    }

    /// A request of user code that others wait for is admitted above the limit: its slot goes to no applicant.
    @Test func handsNoSlotOnWhileItIsAboveItsLimit() {
        let roster = Roster(limit: 2)
        _ = enter(roster, "a")
        _ = enter(roster, "b")
        #expect(roster.beginningAwaited { enter(roster, "inner") } == "admitted")
        #expect(enter(roster, "c") == "waiting")
        #expect(roster.counts == (3, 1))
        roster.leave()
        #expect(notes.all.isEmpty)
        #expect(roster.counts == (2, 1))
        roster.leave()
        #expect(notes.all == ["c"])
        #expect(roster.counts == (2, 0))
    }

    @Test(arguments: [-1, 0, 1]) func hasALimitOfAtLeastOne(limit: Int) {
        let roster = Roster(limit: limit)
        #expect(enter(roster, "a") == "admitted")
        #expect(enter(roster, "b") == "waiting")
    }

    @Test func admitsInTheOrderOfAsking() {
        let roster = Roster(limit: 1)
        _ = enter(roster, "a")
        for name in ["b", "c", "d"] { _ = enter(roster, name) }
        for _ in 0..<3 { roster.leave() }
        #expect(notes.all == ["b", "c", "d"])
    }

    @Test func asksForAnApplicantOnlyWhereSomebodyHasToWait() {
        let roster = Roster(limit: 1)
        var asked = 0
        for _ in 0..<3 {
            _ = roster.enter {
                asked += 1
                return applicant("x")
            }
        }
        #expect(asked == 2)
    }

    @Test func withdrawsOnceOnly() {
        let roster = Roster(limit: 1)
        _ = enter(roster, "a")
        let first = applicant("b")
        let second = applicant("c")
        _ = roster.enter { first }
        _ = roster.enter { second }
        #expect(roster.withdraw(first))
        #expect(!roster.withdraw(first))
        roster.leave()
        #expect(notes.all == ["c"])
        #expect(!roster.withdraw(second))
    }

    @Test func refusesWhoComesLateAndKeepsWhoWaits() {
        let roster = Roster(limit: 1)
        _ = enter(roster, "a")
        _ = enter(roster, "b")
        roster.close(with: CancelReason.sessionShutDown.error)
        roster.close(with: CancelReason.sessionGone.error)
        #expect(enter(roster, "c") == "refused: sessionShutDown")
        roster.leave()
        #expect(notes.all == ["b"])
    }

    @Test func turnsAwayWhoWaits() {
        let roster = Roster(limit: 1)
        for name in ["a", "b", "c"] { _ = enter(roster, name) }
        roster.turnAway(with: CancelReason.sessionGone.error)
        #expect(notes.all == ["b: sessionGone", "c: sessionGone"])
        #expect(roster.counts == (1, 0))
    }

    @Test func tellsWhenNobodyIsLeft() async {
        let roster = Roster(limit: 1)
        await roster.waitUntilIdle()
        _ = enter(roster, "a")
        let waiting = applicant("b")
        _ = roster.enter { waiting }
        let told = Notes<Int>()
        let watchers = (0..<3).map { number in
            Task {
                await roster.waitUntilIdle()
                told.append(number)
            }
        }
        #expect(roster.withdraw(waiting))
        #expect(told.count == 0)
        roster.leave()
        for watcher in watchers { await watcher.value }
        #expect(told.count == 3)
    }

    @Test func losesNobodyAmongMany() async {
        let roster = Roster(limit: 3)
        let admitted = Notes<Int>()
        let gaveUp = Notes<Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let outcome = Deferred<Bool>()
                    let applicant = Roster.Applicant { _ in outcome.fulfill(true) }
                    switch roster.enter({ applicant }) {
                    case .admitted: outcome.fulfill(true)
                    case .waiting: if number % 5 == 0, roster.withdraw(applicant) { outcome.fulfill(false) }
                    case .refused: Issue.record("refused")
                    }
                    guard await outcome.value else { return gaveUp.append(number) }
                    admitted.append(number)
                    await Task.yield()
                    roster.leave()
                }
            }
        }
        #expect(admitted.count + gaveUp.count == 1_000)
        #expect(roster.counts == (0, 0))
        await roster.waitUntilIdle()
    }

    @Test func withdrawsManyAtOnce() {
        let roster = Roster(limit: 1)
        _ = enter(roster, "a")
        let applicants = ["b", "c", "d", "e"].map { applicant($0) }
        for applicant in applicants { _ = roster.enter { applicant } }
        let stranger = applicant("x")
        let withdrawn = roster.withdraw([applicants[2], stranger, applicants[0]])
        #expect(withdrawn.map { ObjectIdentifier($0) } == [applicants[0], applicants[2]].map { ObjectIdentifier($0) })
        #expect(roster.counts == (1, 2))
        #expect(roster.withdraw(applicants).count == 2)
        #expect(notes.all.isEmpty)
    }

    @Test func countsWhoMayWantAnotherPlace() async {
        let roster = Roster(limit: 1)
        _ = enter(roster, "a")
        let isOver = Notes<Int>()
        let watcher = Task {
            await roster.waitUntilIdle()
            isOver.append(1)
        }
        roster.leave(isAbsent: true)
        #expect(roster.counts == (0, 0))
        roster.close(with: CancelReason.sessionShutDown.error)
        #expect(enter(roster, "b") == "refused: sessionShutDown")
        #expect(enter(roster, "a", again: true) == "admitted")
        roster.endAbsence()
        #expect(isOver.count == 0)
        roster.leave()
        await watcher.value
        roster.turnAway(with: CancelReason.sessionShutDown.error)
        #expect(enter(roster, "a", again: true) == "refused: sessionShutDown")
    }
}
