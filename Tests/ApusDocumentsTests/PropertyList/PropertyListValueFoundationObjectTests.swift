internal import ApusCore
internal import ApusDocuments
internal import Foundation
internal import Testing

@Suite struct PropertyListValueFoundationObjectTests {
    private struct Strange {}

    private static let value: PropertyListValue = [
        "name": "Ada", "ports": [80, 443], "ratio": 0.5, "on": true, "off": false, "one": 1, "zero": 0,
        "key": .data(Data([1, 2])), "since": .date(Date(timeIntervalSinceReferenceDate: 100)),
        "large": .integer(Int128(UInt64.max)), "small": .integer(Int128(Int64.min)), "empty": [[], [:]],
    ]

    private func refusal(of object: Any) throws -> String {
        let error = #expect(throws: ApusError.self) { try PropertyListValue(foundationObject: object) }
        #expect(error?.code == .parameterEncodingFailed)
        return try #require(error).detail
    }

    @Test func canBeCastLikeTheObjectsOfFoundation() throws {
        let object = try #require(Self.value.foundationObject as? [String: Any])
        #expect(object["name"] as? String == "Ada")
        #expect(object["ports"] as? [Int] == [80, 443])
        #expect(object["ratio"] as? Double == 0.5)
        #expect(object["on"] as? Bool == true)
        #expect(object["key"] as? Data == Data([1, 2]))
        #expect(object["since"] as? Date == Date(timeIntervalSinceReferenceDate: 100))
        #expect(object["large"] as? UInt64 == .max)
        #expect(PropertyListValue.integer(Int128(UInt64.max) + 1).foundationObject is NSDecimalNumber)
        let data = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        #expect(try PropertyListValue(data) == Self.value)
    }

    @Test func isTheSameAfterwards() throws {
        #expect(try PropertyListValue(foundationObject: Self.value.foundationObject) == Self.value)
        for value in ["x", 1, 1.5, true, [], [:]] as [PropertyListValue] {
            #expect(try PropertyListValue(foundationObject: value.foundationObject) == value)
        }
    }

    @Test func readsTheObjectsOfFoundation() throws {
        for format in [PropertyListFormat.xml, .binary] {
            let value: PropertyListValue = ["a": [true, 1, false, 0, 1.5, "x"], "b": .data(Data([1])), "c": [:]]
            let object = try PropertyListSerialization.propertyList(from: value.data(format: format), format: nil)
            #expect(try PropertyListValue(foundationObject: object) == value)
        }
    }

    @Test func readsTheTypesOfSwift() throws {
        let some: Int?? = 5
        let object: [String: Any] = [
            "float": Float(0.1), "decimal": Decimal(2), "int8": Int8.min, "some": some as Any,
            "number": NSNumber(value: 1), "truth": NSNumber(value: true), "part": "abc".prefix(2), "own": Self.value,
            "infinity": Double.infinity,
        ]
        let expected: PropertyListValue = [
            "float": 0.1, "decimal": 2.0, "int8": -128, "some": 5, "number": 1, "truth": true, "part": "ab",
            "own": Self.value, "infinity": .real(.infinity),
        ]
        #expect(try PropertyListValue(foundationObject: object) == expected)
    }

    @Test func namesThePathAndTheFault() throws {
        let list: [Any] = [0, NSNull()]
        #expect(try refusal(of: ["a": list]).hasPrefix("the value at a[1] is null"))
        #expect(try refusal(of: ["a": Int?.none]).hasPrefix("the value at a is null"))
        #expect(try refusal(of: [Strange()]).hasPrefix("the value at [0] has the type Strange"))
        #expect(try refusal(of: ["a": [1: "x"]]).hasPrefix("the value at a is a dictionary with a key"))
        #expect(try refusal(of: Set(["x"])).hasPrefix("the value at the root is a set"))
        #expect(try refusal(of: UInt128.max).hasPrefix("the value at the root is an integer"))
        // Foundation can't describe such a date, so it is not part of the expectation.
        let detail = try refusal(of: [Date(timeIntervalSinceReferenceDate: .nan)])
        #expect(detail.hasPrefix("the value at [0] is a date"))
    }

    @Test func limitsItsDepth() throws {
        func nested(_ depth: Int) -> Any { (0..<depth).reduce(1 as Any) { object, _ in [object] as [Any] } }
        #expect(try PropertyListValue(foundationObject: nested(PropertyListValue.deepestNesting)).array?.count == 1)
        let detail = try refusal(of: nested(PropertyListValue.deepestNesting + 1))
        #expect(detail.contains("nested deeper than 256 levels"))
    }
}
