internal import Apus
internal import Foundation
internal import Testing

@Suite struct ParameterConvertibleTests {
    private enum Order: ParameterConvertible {
        case ascending, descending

        var parameterValue: ParameterValue { self == .ascending ? "asc" : "desc" }
    }

    /// Parity: AF-legacy-parameters
    @Test func convertsVariables() throws {
        let (name, isNew, age, ratio) = ("Ada", true, 36, 1.5)
        let date = Date(timeIntervalSince1970: 0)
        let parameters: Parameters = [
            "name": ParameterValue(name), "part": ParameterValue(name.dropLast()), "new": ParameterValue(isNew),
            "age": ParameterValue(age), "ratio": ParameterValue(ratio), "date": ParameterValue(date),
            "data": .init(Data([1])), "order": .init(Order.descending), "own": .init(ParameterValue.null),
        ]
        #expect(
            parameters == [
                "name": "Ada", "part": "Ad", "new": true, "age": 36, "ratio": 1.5, "date": .date(date),
                "data": .data(Data([1])), "order": "desc", "own": nil,
            ]
        )
    }

    @Test func keepsIntegersOfEveryWidth() {
        #expect(ParameterValue(Int8.min) == -128)
        #expect(ParameterValue(UInt8.max) == 255)
        #expect(ParameterValue(Int64.min) == .integer(.min))
        #expect(ParameterValue(Int.max) == .integer(.max))
        #expect(ParameterValue(UInt.max) == .decimal(Decimal(UInt64.max)))
        #expect(ParameterValue(UInt64.max) == .decimal(Decimal(UInt64.max)))
        #expect(ParameterValue(UInt64(Int64.max)) == .integer(.max))
    }

    @Test func keepsTheDigitsOfFractions() throws {
        #expect(ParameterValue(Float(0.1)) == .number(0.1))
        #expect(ParameterValue(Float.infinity) == .number(.infinity))
        let decimal = try #require(Decimal(string: "0.10000000000000000001"))
        #expect(ParameterValue(decimal) == .decimal(decimal))
    }

    @Test func convertsURLsAndIdentifiersToTexts() throws {
        let url = try #require(URL(string: "https://h/a?b"))
        let identifier = UUID()
        #expect(ParameterValue(url) == "https://h/a?b")
        #expect(ParameterValue(identifier) == .string(identifier.uuidString))
    }

    @Test func convertsCollectionsAndOptionals() {
        let names = ["a", "b"]
        let (nested, table) = ([names, []], ["k": [1, 2]])
        let some: Int?? = 5
        let none: String? = nil
        #expect(ParameterValue(names) == ["a", "b"])
        #expect(ParameterValue(nested) == [["a", "b"], []])
        #expect(ParameterValue(Set(names)) == .set(["a", "b"]))
        #expect(ParameterValue(table) == ["k": [1, 2]])
        #expect(ParameterValue(some) == 5)
        #expect(ParameterValue(none) == .null)
        #expect(ParameterValue([1, nil] as [Int?]) == [1, nil])
        #expect(ParameterValue([String]()) == [])
        #expect(ParameterValue([String: Int]()) == [:])
        #expect(Parameters(["a": 1, "b": nil] as [String: Int?]) == ["a": 1, "b": nil])
    }
}
