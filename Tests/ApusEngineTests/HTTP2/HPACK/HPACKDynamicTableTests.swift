internal import Testing

@testable internal import ApusEngine

@Suite struct HPACKDynamicTableTests {
    private func header(_ name: String, _ size: Int) -> HPACKHeader {
        let count = size - 32 - name.utf8.count
        return HPACKHeader(name: name, value: String(repeating: "v", count: count))
    }

    private func names(_ table: HPACKDynamicTable) -> [String] {
        (0..<table.count).compactMap { (offset: Int) -> String? in table.header(at: offset)?.nameText }
    }

    @Test func evictsTheOldestEntries() {
        var table = HPACKDynamicTable(limit: 120)
        for name in ["a", "b", "c"] { table.insert(header(name, 40)) }
        #expect(names(table) == ["c", "b", "a"])
        #expect(table.byteCount == 120)
        table.insert(header("d", 40))
        #expect(names(table) == ["d", "c", "b"])
        table.insert(header("e", 41))
        #expect(names(table) == ["e", "d"])
        #expect(table.byteCount == 81)
        table.insert(header("f", 120))
        #expect(names(table) == ["f"])
        #expect(table.byteCount == 120)
    }

    @Test func isEmptiedByALargerEntry() {
        var table = HPACKDynamicTable(limit: 120)
        table.insert(header("a", 40))
        table.insert(header("b", 121))
        #expect(names(table) == [])
        #expect(table.byteCount == 0)
        table.insert(header("c", 40))
        #expect(names(table) == ["c"])
    }

    @Test func shrinksAndGrows() {
        var table = HPACKDynamicTable(limit: 120)
        for name in ["a", "b", "c"] { table.insert(header(name, 40)) }
        table.setLimit(80)
        #expect(names(table) == ["c", "b"])
        table.setLimit(79)
        #expect(names(table) == ["c"])
        table.setLimit(4096)
        #expect(names(table) == ["c"])
        #expect(table.limit == 4096)
        table.setLimit(0)
        #expect(names(table) == [])
        #expect(table.byteCount == 0)
        table.insert(header("d", 40))
        #expect(names(table) == [])
    }

    @Test func hasNoOtherOffsets() {
        var table = HPACKDynamicTable(limit: 120)
        #expect(table.header(at: 0) == nil)
        table.insert(header("a", 40))
        #expect(table.header(at: 0)?.nameText == "a")
        for offset in [-1, 1, Int.min, Int.max] { #expect(table.header(at: offset) == nil) }
    }

    @Test func boundsTheNumberOfEntries() {
        var table = HPACKDynamicTable(limit: 4096)
        for _ in 0..<1_000 { table.insert(HPACKHeader(name: "", value: "")) }
        #expect(table.count == 128)
        #expect(table.byteCount == 4096)
    }
}
