internal import Testing

@testable internal import ApusResilience

@Suite(.timeLimit(.minutes(5))) struct WaiterQueueTests {
    private func make(_ count: Int) -> (WaiterQueue<Int>, [Waiter<Int>]) {
        var queue = WaiterQueue<Int>()
        let waiters = (0..<count).map { _ in Waiter<Int>() }
        for waiter in waiters { queue.append(waiter) }
        return (queue, waiters)
    }

    @Test func servesWaitersInOrder() {
        let (made, waiters) = make(5)
        var queue = made
        #expect(queue.count == 5)
        let removed = [0, 2, 2].map { queue.withdraw(waiters[$0]) }
        #expect(removed == [true, true, false])
        #expect(queue.count == 3)
        let first = queue.popFirst()
        #expect(first === waiters[1])
        #expect(queue.withdraw(waiters[1]) == false)
        let rest = queue.removeAll()
        #expect(rest.count == 2 && rest[0] === waiters[3] && rest[1] === waiters[4])
        #expect(queue.count == 0)
        let none = queue.popFirst()
        #expect(none === nil)
    }

    @Test func matchesAModelUnderRandomOperations() {
        var generator = SystemRandomNumberGenerator()
        var queue = WaiterQueue<Int>()
        var model: [Waiter<Int>] = []
        for _ in 0..<5000 {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                let waiter = Waiter<Int>()
                queue.append(waiter)
                model.append(waiter)
            case 2:
                let next = queue.popFirst()
                let expected = model.isEmpty ? nil : model.removeFirst()
                #expect(next === expected)
            default:
                guard let waiter = model.randomElement(using: &generator) else { continue }
                #expect(queue.withdraw(waiter) == true)
                model.removeAll { $0 === waiter }
            }
            #expect(queue.count == model.count)
        }
        let isSame = queue.removeAll().elementsEqual(model) { $0 === $1 }
        #expect(isSame)
    }

    /// A linear search and removal from an array would be quadratic here.
    @Test func withdrawsManyWaitersQuickly() {
        let (made, waiters) = make(200_000)
        var queue = made
        for waiter in waiters.reversed() where !queue.withdraw(waiter) { Issue.record("it was in the queue") }
        #expect(queue.count == 0)
    }
}
