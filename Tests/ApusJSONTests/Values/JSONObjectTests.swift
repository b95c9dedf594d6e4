internal import Apus
internal import Testing

@testable internal import ApusJSON

@Suite struct JSONObjectTests {
    /// Counts around the size from which an object keeps a table of names.
    static let counts = [0, 1, 2, 15, 16, 17, 18, 40, 1000]

    private func object(_ count: Int) -> JSONObject {
        JSONObject((0..<count).map { ("name\($0)", JSONValue($0)) })
    }

    @Test(arguments: counts)
    func keepsItsOrderAndFindsItsMembers(count: Int) {
        let object = object(count)
        #expect(object.count == count)
        #expect(object.keys == (0..<count).map { "name\($0)" })
        #expect(object.values == (0..<count).map { JSONValue($0) })
        for index in 0..<count {
            #expect(object["name\(index)"] == JSONValue(index))
            #expect(object[index].key == "name\(index)")
        }
        #expect(object["name\(count)"] == nil)
        #expect(object["name"] == nil)
    }

    @Test(arguments: counts)
    func keepsTheLastValueAtTheFirstPositionOfAName(count: Int) {
        let doubled = JSONObject(
            (0..<count).map { ("name\($0)", .null) } + (0..<count).reversed().map { ("name\($0)", JSONValue($0)) }
        )
        #expect(doubled.keys == object(count).keys)
        #expect(doubled == object(count))
    }

    @Test(arguments: counts)
    func changesMembersByName(count: Int) {
        var object = object(count)
        object["new"] = true
        object["new"] = false
        #expect(object.count == count + 1)
        #expect(object.keys.last == "new")
        for index in 0..<count { object["name\(index)"] = "x" }
        #expect(object.values == [JSONValue](repeating: "x", count: count) + [false])
        for index in (0..<count).reversed() {
            object["name\(index)"] = nil
            #expect(object["name\(index)"] == nil)
            #expect(object["new"] == false)
        }
        object["nobody"] = nil
        #expect(object == ["new": false])
    }

    @Test(arguments: counts)
    func ignoresTheOrderInComparisons(count: Int) {
        let one = object(count)
        let other = JSONObject(one.reversed())
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        var third = other
        third["name0"] = "changed"
        #expect(one != third)
        third = other
        third["more"] = 1
        #expect(one != third && third != one)
    }

    @Test func distinguishesNamesFromValues() {
        #expect((["a": "b"] as JSONObject) != ["b": "a"])
        #expect((["a": 1, "b": 2] as JSONObject).hashValue != (["a": 2, "b": 1] as JSONObject).hashValue)
    }
}
