internal import Testing

@testable internal import ApusResilience

@Suite(.timeLimit(.minutes(5))) struct WaitingLineTests {
    private func make(_ count: Int) -> (WaitingLine<Int>, [Waiter<Int>]) {
        var line = WaitingLine<Int>()
        let waiters = (0..<count).map { _ in Waiter<Int>() }
        for waiter in waiters { line.append(waiter) }
        return (line, waiters)
    }

    @Test func servesWaitersInOrder() {
        let (made, waiters) = make(5)
        var line = made
        #expect(line.count == 5)
        let removed = [0, 2, 2].map { line.withdraw(waiters[$0]) }
        #expect(removed == [true, true, false])
        #expect(line.count == 3)
        let first = line.popFirst()
        #expect(first === waiters[1])
        #expect(line.withdraw(waiters[1]) == false)
        let rest = line.removeAll()
        #expect(rest.count == 2 && rest[0] === waiters[3] && rest[1] === waiters[4])
        #expect(line.count == 0)
        let none = line.popFirst()
        #expect(none === nil)
    }

    @Test func matchesAModelUnderRandomOperations() {
        var generator = SystemRandomNumberGenerator()
        var line = WaitingLine<Int>()
        var model: [Waiter<Int>] = []
        for _ in 0..<5000 {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                let waiter = Waiter<Int>()
                line.append(waiter)
                model.append(waiter)
            case 2:
                let next = line.popFirst()
                let expected = model.isEmpty ? nil : model.removeFirst()
                #expect(next === expected)
            default:
                guard let waiter = model.randomElement(using: &generator) else { continue }
                #expect(line.withdraw(waiter) == true)
                model.removeAll { $0 === waiter }
            }
            #expect(line.count == model.count)
        }
        let isSame = line.removeAll().elementsEqual(model) { $0 === $1 }
        #expect(isSame)
    }

    /// A linear search and removal from an array would be quadratic here.
    @Test func withdrawsManyWaitersQuickly() {
        let (made, waiters) = make(200_000)
        var line = made
        for waiter in waiters.reversed() where !line.withdraw(waiter) { Issue.record("it was in the line") }
        #expect(line.count == 0)
    }
}
