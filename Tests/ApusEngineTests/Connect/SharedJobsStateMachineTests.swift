internal import ApusTestServer
internal import Testing

@testable internal import ApusEngine

@Suite struct SharedJobsStateMachineTests {
    private typealias Machine = SharedJobsStateMachine<String>

    private func machine(threads: Int, queue: Int = 4) -> Machine {
        Machine(limits: SharedJobsLimits(threadCount: threads, queuedCount: queue))
    }

    private func expect(_ ended: (waiters: [Int], next: String?), _ waiters: [Int], next: String? = nil) {
        #expect(ended.waiters == waiters)
        #expect(ended.next == next)
    }

    @Test func sharesARunBetweenCallersOfAKey() {
        var machine = machine(threads: 4)
        #expect(machine.join(1, for: "a") == .start)
        #expect(machine.join(2, for: "a") == .wait)
        #expect(machine.join(3, for: "b") == .start)
        #expect(machine.threadCount == 2)
        expect(machine.ended("a"), [1, 2])
        expect(machine.ended("b"), [3])
        #expect(machine.isUnused)
    }

    @Test func startsANewRunAfterTheLastHasEnded() {
        var machine = machine(threads: 4)
        #expect(machine.join(1, for: "a") == .start)
        expect(machine.ended("a"), [1])
        #expect(machine.join(2, for: "a") == .start)
        expect(machine.ended("a"), [2])
    }

    @Test func queuesAJobUntilAThreadIsFree() {
        var machine = machine(threads: 1)
        #expect(machine.join(1, for: "a") == .start)
        #expect(machine.join(2, for: "b") == .wait)
        #expect(machine.join(3, for: "c") == .wait)
        #expect(machine.join(4, for: "b") == .wait)
        #expect(machine.queuedCount == 2)
        expect(machine.ended("a"), [1], next: "b")
        expect(machine.ended("b"), [2, 4], next: "c")
        expect(machine.ended("c"), [3])
        #expect(machine.isUnused)
    }

    @Test func rejectsAJobAboveTheQueueLimit() {
        var machine = machine(threads: 1, queue: 2)
        #expect(machine.join(1, for: "a") == .start)
        #expect(machine.join(2, for: "b") == .wait)
        #expect(machine.join(3, for: "c") == .wait)
        #expect(machine.join(4, for: "d") == .refuse)
        // A caller for a key that is already queued does not lengthen the queue.
        #expect(machine.join(5, for: "c") == .wait)
        #expect(machine.withdraw(2, from: "b") == true)
        #expect(machine.join(6, for: "d") == .wait)
        #expect(machine.join(7, for: "e") == .refuse)
        expect(machine.ended("a"), [1], next: "c")
        expect(machine.ended("c"), [3, 5], next: "d")
        expect(machine.ended("d"), [6])
        #expect(machine.isUnused)
    }

    @Test func doesNotStartAJobWithoutWaiters() {
        var machine = machine(threads: 1)
        _ = machine.join(1, for: "a")
        for waiter in 2...3 { _ = machine.join(waiter, for: "b") }
        _ = machine.join(4, for: "c")
        #expect(machine.withdraw(2, from: "b") == true)
        #expect(machine.withdraw(3, from: "b") == true)
        #expect(machine.queuedCount == 1)
        expect(machine.ended("a"), [1], next: "c")
    }

    @Test func doesNotNotifyAWithdrawnWaiter() {
        var machine = machine(threads: 1)
        for waiter in 1...3 { _ = machine.join(waiter, for: "a") }
        #expect(machine.withdraw(2, from: "a") == true)
        #expect(machine.withdraw(2, from: "a") == false)
        #expect(machine.withdraw(9, from: "a") == false)
        #expect(machine.withdraw(1, from: "b") == false)
        expect(machine.ended("a"), [1, 3])
        #expect(machine.withdraw(1, from: "a") == false)
    }

    @Test func startsASecondRunIfTheFirstHasNoWaiters() {
        var machine = machine(threads: 4)
        #expect(machine.join(1, for: "a") == .start)
        #expect(machine.withdraw(1, from: "a") == true)
        #expect(machine.threadCount == 1)
        #expect(machine.join(2, for: "a") == .start)
        #expect(machine.join(3, for: "a") == .wait)
        #expect(machine.threadCount == 2)
        // The first result is shared by all waiters, whichever run it comes from.
        expect(machine.ended("a"), [2, 3])
        expect(machine.ended("a"), [])
        #expect(machine.isUnused)
    }

    @Test func limitsAKeyToTwoRuns() {
        var machine = machine(threads: 8)
        for waiter in 1...2 {
            #expect(machine.join(waiter, for: "a") == .start)
            #expect(machine.withdraw(waiter, from: "a") == true)
        }
        #expect(machine.join(3, for: "a") == .wait)
        #expect(machine.threadCount == 2)
        expect(machine.ended("a"), [3])
        #expect(machine.join(4, for: "a") == .start)
        #expect(machine.threadCount == 2)
        expect(machine.ended("a"), [4])
        expect(machine.ended("a"), [])
        #expect(machine.isUnused)
    }

    /// Otherwise a few hanging keys would occupy all threads.
    @Test func leavesHalfOfTheThreadsToFirstRuns() {
        var machine = machine(threads: 4)
        #expect(machine.join(1, for: "a") == .start)
        #expect(machine.withdraw(1, from: "a") == true)
        #expect(machine.join(2, for: "b") == .start)
        #expect(machine.join(3, for: "a") == .wait)
        expect(machine.ended("b"), [2])
        // A thread is free now, and the latest run has been abandoned.
        #expect(machine.join(4, for: "a") == .start)
        expect(machine.ended("a"), [3, 4])
        expect(machine.ended("a"), [])
        #expect(machine.isUnused)
    }

    /// For any order of events a key has at most two threads, all keys together stay within the limit, and every
    /// remaining caller is notified once.
    @Test(arguments: 1...20) func keepsItsLimitsInAnyOrderOfEvents(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var machine = machine(threads: 6, queue: 3)
        var waiting: [Int: String] = [:]
        var runs: [String] = []
        for waiter in 1...2000 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                let key = "\(Int.random(in: 0..<12, using: &generator))"
                let action = machine.join(waiter, for: key)
                if action != .refuse { waiting[waiter] = key }
                if action == .start { runs.append(key) }
            case 2:
                guard let waiter = waiting.keys.sorted().randomElement(using: &generator) else { continue }
                let key = waiting.removeValue(forKey: waiter) ?? ""
                #expect(machine.withdraw(waiter, from: key) == true)
            default:
                guard let index = runs.indices.randomElement(using: &generator) else { continue }
                end(runs.remove(at: index))
            }
            #expect(machine.threadCount == runs.count)
            #expect(runs.count <= 6 && machine.queuedCount <= 3)
            #expect(Dictionary(grouping: runs) { $0 }.values.allSatisfy { $0.count <= 2 })
        }
        while !runs.isEmpty { end(runs.removeLast()) }
        #expect(waiting.isEmpty)
        #expect(machine.isUnused)

        func end(_ key: String) {
            let (waiters, next) = machine.ended(key)
            for waiter in waiters { #expect(waiting.removeValue(forKey: waiter) == key) }
            #expect(!waiting.values.contains(key))
            if let next { runs.append(next) }
        }
    }
}
