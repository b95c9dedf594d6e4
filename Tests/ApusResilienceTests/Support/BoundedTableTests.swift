internal import Testing

@testable internal import ApusResilience

@Suite struct BoundedTableTests {
    @Test func keepsEntriesUpToItsLimit() {
        var table = BoundedTable<Int, Int>(limit: 3)
        for key in 0..<3 { table.update(key, default: 0) { $0 = key * 10 } }
        #expect(table.count == 3)
        #expect((0..<3).map { table.value(of: $0) } == [0, 10, 20])
        #expect(table.value(of: 3) == nil)
        #expect(table.update(1, default: 0) { $0 + 1 } == 11)
    }

    @Test func evictsTheLeastRecentlyUsedEntry() {
        var table = BoundedTable<Int, Int>(limit: 3)
        for key in 0..<3 { table.update(key, default: key) { _ in } }
        table.update(0, default: 0) { _ in }
        table.update(3, default: 3) { _ in }
        #expect(table.count == 3)
        #expect(table.value(of: 1) == nil)
        #expect(table.value(of: 0) == 0)
    }

    @Test func evictsAnEighthAtOnce() {
        var table = BoundedTable<Int, Int>(limit: 64)
        for key in 0..<65 { table.update(key, default: key) { _ in } }
        #expect(table.count == 57)
        #expect(table.value(of: 7) == nil)
        #expect(table.value(of: 8) == 8)
    }

    @Test func keepsRequiredEntries() {
        var table = BoundedTable<Int, Int>(limit: 2)
        for key in 0..<2 { table.update(key, default: key) { _ in } }
        table.update(2, default: 2, keeping: { $0 == 0 }) { _ in }
        #expect(table.value(of: 0) == 0)
        #expect(table.value(of: 1) == nil)
        table.update(3, default: 3, keeping: { _ in true }) { _ in }
        #expect(table.count == 3)
    }
}
