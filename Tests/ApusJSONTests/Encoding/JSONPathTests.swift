internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite struct JSONPathTests {
    private struct Inner: Encodable {
        var someNumber = Double.nan
    }

    private struct Outer: Encodable {
        var list = [["x": [Inner()]]]
    }

    private static func at(_ body: @escaping @Sendable (any Encoder) throws -> Void) -> Encoding { Encoding(body) }

    /// Values that can't be encoded, and the path that Foundation reports.
    private static let values: [(value: any Encodable & Sendable, path: [String])] = [
        (Double.nan, []), ([1, Float.infinity], ["[1]"]), (["a": Double.nan], ["a"]),
        (Outer(), ["list", "[0]", "x", "[0]", "someNumber"]),
        ([Optional(Inner())], ["[0]", "someNumber"]),
        (
            at { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                try Inner().encode(to: container.superEncoder())
            }, ["super", "someNumber"]
        ),
        (
            at { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                try Inner().encode(to: container.superEncoder(forKey: AnyKey("parent")))
            }, ["parent", "someNumber"]
        ),
        (
            at { encoder in
                var container = encoder.unkeyedContainer()
                try container.encode(1)
                try Inner().encode(to: container.superEncoder())
            }, ["[1]", "someNumber"]
        ),
    ]

    @Test(arguments: values.indices, [false, true])
    func reportsTheSamePathAsFoundation(index: Int, isSnakeCase: Bool) throws {
        let (value, path) = Self.values[index]
        let encoder = JSONContentEncoder(keyEncodingStrategy: isSnakeCase ? .convertToSnakeCase : .useDefaultKeys)
        let refused = try Refused { _ = try encoder.encode(value) }
        #expect(refused.path == path)
        let foundation = try Refused { _ = try encoder.foundation.encode(value) }
        #expect(foundation.type == refused.type)
        // With keys in snake case, Foundation omits dictionaries from the path.
        if !isSnakeCase { #expect(foundation.path == path) }
    }

    /// Foundation omits the container from the path.
    @Test func reportsThePathInNestedContainers() throws {
        let keyed = Encoding { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("x"))
            try nested.encode(Inner(), forKey: AnyKey("y"))
        }
        #expect(try Refused { _ = try JSONContentEncoder().encode(keyed) }.path == ["x", "y", "someNumber"])
        let unkeyed = Encoding { encoder in
            var container = encoder.unkeyedContainer()
            var nested = container.nestedUnkeyedContainer()
            try nested.encode(1)
            try nested.encode(Double.nan)
        }
        #expect(try Refused { _ = try JSONContentEncoder().encode(unkeyed) }.path == ["[0]", "[1]"])
    }

    @Test func passesTheCodingPathToValues() throws {
        let value = Encoding { encoder in
            var container = encoder.singleValueContainer()
            let path = encoder.codingPath.map { "\($0.stringValue)\($0.intValue.map { " = \($0)" } ?? "")" }
            #expect(container.codingPath.count == path.count)
            try container.encode(path)
        }
        try expectFoundationsText(["a": [value]])
        #expect(try JSONContentEncoder().text(["a": [value]]) == #"{"a":[["a","Index 0 = 0"]]}"#)
        let nested = Encoding { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            var nested = container.nestedUnkeyedContainer(forKey: AnyKey("b"))
            #expect(nested.codingPath.map(\.stringValue) == ["b"])
            var inner = nested.nestedContainer(keyedBy: AnyKey.self)
            #expect(inner.codingPath.map(\.stringValue) == ["b", "Index 0"])
            try inner.encode(1, forKey: AnyKey("c"))
        }
        #expect(try JSONContentEncoder().text(nested) == #"{"b":[{"c":1}]}"#)
    }
}
