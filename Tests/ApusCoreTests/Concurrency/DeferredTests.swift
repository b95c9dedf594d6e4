internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DeferredTests {
    @Test func returnsAValueThatIsAlreadySet() async {
        let deferred = Deferred<Int>()
        #expect(deferred.fulfill(7))
        #expect(await deferred.value == 7)
        #expect(await deferred.value == 7)
    }

    @Test func takesTheFirstValueOnly() async {
        let deferred = Deferred<Int>()
        #expect(deferred.fulfill(1))
        #expect(!deferred.fulfill(2))
        #expect(await deferred.value == 1)
    }

    @Test func wakesAllWaiters() async {
        let deferred = Deferred<Int>()
        let sum = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { await deferred.value } }
            group.addTask {
                await Task.yield()
                deferred.fulfill(3)
                return 0
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 300)
    }

    @Test func acceptsOneOfManyConcurrentValues() async {
        let deferred = Deferred<Int>()
        let winners = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<100 { group.addTask { deferred.fulfill(number) ? number : nil } }
            return await group.reduce(into: [Int]()) { winners, number in
                if let number { winners.append(number) }
            }
        }
        #expect(winners.count == 1)
        #expect(await deferred.value == winners.first)
    }
}
