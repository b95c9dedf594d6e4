internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusJSON

@Suite struct JSONValueTests {
    private static let sample: JSONValue = [
        "name": "Ada", "age": 36, "score": 1.5, "active": true, "manager": nil,
        "tags": ["a", "b"], "address": ["city": "London", "geo": [51.5, -0.1]],
    ]

    @Test func isExpressibleByLiterals() {
        let expected = JSONValue.object([
            "name": .string("Ada"), "age": .number(JSONNumber(36)), "score": JSONValue(1.5), "active": .bool(true),
            "manager": .null, "tags": .array([.string("a"), .string("b")]),
            "address": .object(["city": .string("London"), "geo": .array([JSONValue(51.5), JSONValue(-0.1)])]),
        ])
        #expect(Self.sample == expected)
        #expect(("\(1 + 1)" as JSONValue) == .string("2"))
    }

    @Test func readsMembersBySubscript() {
        let value = Self.sample
        #expect(value["name"]?.string == "Ada")
        #expect(value["address"]["geo"][1]?.double == -0.1)
        #expect(value["tags"][0] == "a")
        #expect(value["manager"] == .null)
        #expect(value["manager"]?.isNull == true)
        for missing in [
            value["nobody"], value["tags"][2], value["tags"][-1], value["tags"]["0"], value["address"][0],
            value["nobody"]["x"][0]["y"], value["name"]["x"], value[0],
        ] {
            #expect(missing == Optional.none)
        }
    }

    static let kinds: [(JSONValue, String)] = [
        (.null, "null"), (true, "bool"), (false, "bool"), (0, "number"), (1, "number"), (1.0, "number"),
        ("", "string"), ("true", "string"), ([], "array"), ([:], "object"),
    ]

    @Test(arguments: kinds)
    func hasExactlyOneKind(value: JSONValue, kind: String) {
        #expect(value.isNull == (kind == "null"))
        #expect((value.bool != nil) == (kind == "bool"))
        #expect((value.number != nil) == (kind == "number"))
        #expect((value.int != nil) == (kind == "number"))
        #expect((value.double != nil) == (kind == "number"))
        #expect((value.string != nil) == (kind == "string"))
        #expect((value.array != nil) == (kind == "array"))
        #expect((value.object != nil) == (kind == "object"))
    }

    @Test func distinguishesNumbersFromBooleans() {
        #expect(JSONValue.bool(true) != 1)
        #expect(JSONValue.bool(false) != 0)
        #expect(Set<JSONValue>([true, 1, "1", 1.0, [1], .null]).count == 5)
    }

    @Test func storesInfinityAsNull() {
        #expect(JSONValue(Double.infinity) == .null)
        #expect(JSONValue(Double.nan) == .null)
    }

    static let nulls: [(JSONValue, JSONValue)] = [
        (nil, nil), ([nil], []), ([nil, 1, nil, [nil]], [1, []]), (["a": nil], [:]),
        (["a": nil, "b": ["c": nil, "d": [["e": nil], nil]]], ["b": ["d": [[:]]]]), ("null", "null"), (false, false),
        (["a": 0, "b": "", "c": []], ["a": 0, "b": "", "c": []]),
    ]

    /// Parity: AFN-response-json-nulls
    @Test(arguments: nulls)
    func removesNullsAtEveryDepth(value: JSONValue, expected: JSONValue) {
        #expect(value.removingNulls() == expected)
    }
}
