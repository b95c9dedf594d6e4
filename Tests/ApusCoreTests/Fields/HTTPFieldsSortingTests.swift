internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct HTTPFieldsSortingTests {
    /// Parity: AF-headers-sort
    @Test func sortsByNameAndKeepsTheOrderOfEqualNames() throws {
        var fields = try HTTPFields(checking: ["b": "1", "C": "2", "a": "3", "B": "4", "b": "0"])
        let sorted = fields.sortedByName()
        #expect(sorted.map(\.value) == ["3", "1", "4", "0", "2"])
        #expect(fields.map(\.value) == ["1", "2", "3", "4", "0"])
        fields.sortByName()
        #expect(fields.map { $0.name.rawName } == ["a", "b", "B", "b", "C"])
    }

    @Test func sortsNothing() {
        #expect(HTTPFields().sortedByName().isEmpty)
    }
}
