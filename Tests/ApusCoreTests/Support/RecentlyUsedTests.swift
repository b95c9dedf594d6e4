import Testing

@testable import ApusCore

@Suite struct RecentlyUsedTests {
    @Test func removesTheValueThatWasNotUsedForTheLongestTime() {
        var values = RecentlyUsed<Int, String>(capacity: 2)
        values.keep("a", for: 1)
        values.keep("b", for: 2)
        let used = values.find(1)
        values.keep("c", for: 3)
        let found = (1...3).map { values.find($0) }
        #expect(used == "a")
        #expect(found == ["a", nil, "c"])
    }

    @Test func replacesAValue() {
        var values = RecentlyUsed<Int, String>(capacity: 2)
        values.keep("a", for: 1)
        values.keep("b", for: 2)
        values.keep("A", for: 1)
        values.keep("c", for: 3)
        let found = (1...3).map { values.find($0) }
        #expect(found == ["A", nil, "c"])
    }
}
