internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite struct ParameterValueEncoderTests {
    private struct Address: Encodable {
        let city: String
        let lines: [String]
    }

    private struct User: Encodable {
        let id: UInt64
        let name: String?
        let isAdmin: Bool
        let score: Float
        let since: Date
        let portrait: Data
        let balance: Decimal
        let home: URL
        let addresses: [Address]
        let tags: [String: Int]
        let level: Level
    }

    private enum Level: String, Encodable {
        case high
    }

    private class Animal: Encodable {
        let legs = 4

        private enum CodingKeys: CodingKey {
            case legs
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(legs, forKey: .legs)
        }
    }

    private final class Dog: Animal {
        private enum CodingKeys: CodingKey {
            case name
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("Rex", forKey: .name)
            try super.encode(to: container.superEncoder())
        }
    }

    private final class Endless: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(self)
        }
    }

    private func value(_ body: @escaping @Sendable (any Encoder) throws -> Void) throws -> ParameterValue {
        try ParameterValue(encoding: Encoding(body))
    }

    /// Parity: AF-legacy-parameters
    @Test func keepsTheTypesOfValues() throws {
        let home = try #require(URL(string: "https://h/"))
        let user = User(
            id: 7,
            name: nil,
            isAdmin: true,
            score: 0.1,
            since: Date(timeIntervalSince1970: 0),
            portrait: Data([1]),
            balance: 2,
            home: home,
            addresses: [Address(city: "London", lines: []), Address(city: "Paris", lines: ["x"])],
            tags: ["a": 1],
            level: .high
        )
        let expected: Parameters = [
            "id": 7, "isAdmin": true, "score": 0.1, "since": .date(Date(timeIntervalSince1970: 0)),
            "portrait": .data(Data([1])), "balance": .decimal(2), "home": "https://h/",
            "addresses": [["city": "London", "lines": []], ["city": "Paris", "lines": ["x"]]], "tags": ["a": 1],
            "level": "high",
        ]
        #expect(try Parameters(encoding: user) == expected)
        #expect(try ParameterValue(encoding: [user, user]) == [.dictionary(expected), .dictionary(expected)])
    }

    @Test func encodesRootsOfEveryKind() throws {
        #expect(try ParameterValue(encoding: 5) == 5)
        #expect(try ParameterValue(encoding: String?.none) == .null)
        #expect(try ParameterValue(encoding: [Level.high, nil]) == ["high", nil])
        #expect(try ParameterValue(encoding: UInt64.max) == .decimal(Decimal(UInt64.max)))
        #expect(try ParameterValue(encoding: Int128(5)) == 5)
        #expect(try ParameterValue(encoding: ["a": ParameterValue.set([1])]) == ["a": .set([1])])
        #expect(try ParameterValue(encoding: [Address]()) == [])
        #expect(try ParameterValue(encoding: JSONValue.object(["a": [1, nil]])) == ["a": [1, nil]])
        #expect(try value { _ in } == [:])
        #expect(try value { _ = $0.unkeyedContainer() } == [])
    }

    @Test func nestsContainersAndSuperclasses() throws {
        let nested = try value { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            var first = root.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("a"))
            try first.encode(1, forKey: AnyKey("x"))
            var again = root.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("a"))
            try again.encodeNil(forKey: AnyKey("y"))
            var list = root.nestedUnkeyedContainer(forKey: AnyKey("b"))
            try list.encode(Int128(2))
            try list.encodeNil()
            var inner = list.nestedUnkeyedContainer()
            try inner.encode("z")
            var keyed = list.nestedContainer(keyedBy: AnyKey.self)
            try keyed.encode(UInt128(3), forKey: AnyKey("k"))
            try Level.high.encode(to: list.superEncoder())
            try Level.high.encode(to: root.superEncoder(forKey: AnyKey("c")))
        }
        #expect(nested == ["a": ["x": 1, "y": nil], "b": [2, nil, ["z"], ["k": 3], "high"], "c": "high"])
        #expect(try ParameterValue(encoding: Dog()) == ["name": "Rex", "super": ["legs": 4]])
    }

    @Test func replacesAValueWithTheSameKey() throws {
        let replaced = try value { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            try root.encode(1, forKey: AnyKey("a"))
            try root.encode([2], forKey: AnyKey("a"))
        }
        #expect(replaced == ["a": [2]])
    }

    @Test func rejectsValuesThatEncodeThemselvesTwice() throws {
        let twice: [@Sendable (any Encoder) throws -> Void] = [
            { encoder in
                var container = encoder.singleValueContainer()
                try container.encode(1)
                try container.encode(2)
            },
            { encoder in
                _ = encoder.unkeyedContainer()
                _ = encoder.container(keyedBy: AnyKey.self)
            },
            { encoder in
                _ = encoder.unkeyedContainer()
                var container = encoder.singleValueContainer()
                try container.encode(1)
            },
        ]
        for body in twice {
            let error = try refusal { try ParameterValue(encoding: ["a": [Encoding(body)]]) }
            #expect(error.code == .parameterEncodingFailed)
            #expect(error.detail.hasPrefix("the value at a[0] encodes itself twice"))
        }
    }

    @Test func reportsErrorsWithTheirPath() throws {
        let failing = Encoding { _ in throw Fault() }
        let error = try refusal { try ParameterValue(encoding: ["a": [failing]]) }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail.hasPrefix("encoding the value at a[0] threw"))
        #expect(error.underlying is Fault)
        let wide = try refusal { try ParameterValue(encoding: ["a": Int128.max]) }
        #expect(wide.detail.hasPrefix("the value at a is an integer that does not fit"))
    }

    @Test func limitsItsDepth() throws {
        #expect(try refusal { try ParameterValue(encoding: Endless()) }.detail.contains("nested deeper"))
    }

    @Test func needsKeysForParameters() throws {
        for error in [try refusal { try Parameters(encoding: [1]) }, try refusal { try Parameters(encoding: "x") }] {
            #expect(error.code == .parameterEncodingFailed)
            #expect(error.detail.hasPrefix("the value at the root has no keys"))
        }
    }
}
