internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite struct JSONContainersTests {
    private typealias Body = @Sendable (any Encoder) throws -> Void

    private static let a = AnyKey("a")
    private static let b = AnyKey("b")

    /// Uses of containers, and the expected text. Foundation writes the same.
    private static let validUses: [(body: Body, text: String)] = [
        (
            // Containers that are open at the same time and written alternately.
            { encoder in
                var root = encoder.container(keyedBy: AnyKey.self)
                var object = root.nestedContainer(keyedBy: AnyKey.self, forKey: b)
                var array = root.nestedUnkeyedContainer(forKey: a)
                try object.encode(1, forKey: a)
                try array.encode(2)
                try object.encode("x", forKey: b)
                var inner = array.nestedContainer(keyedBy: AnyKey.self)
                try array.encode(3)
                try inner.encode(4, forKey: b)
            }, #"{"a":[2,{"b":4},3],"b":{"a":1,"b":"x"}}"#
        ),
        (
            // The last of two values of a key counts.
            { encoder in
                var root = encoder.container(keyedBy: AnyKey.self)
                try root.encode([1, 2], forKey: a)
                try root.encode(["x": 1], forKey: b)
                try root.encode("new", forKey: a)
                try root.encode([3], forKey: b)
            }, #"{"a":"new","b":[3]}"#
        ),
        (
            // Requesting a container twice returns the same one.
            { encoder in
                var first = encoder.container(keyedBy: AnyKey.self)
                var second = encoder.container(keyedBy: AnyKey.self)
                var object = first.nestedContainer(keyedBy: AnyKey.self, forKey: a)
                var repeated = second.nestedContainer(keyedBy: AnyKey.self, forKey: a)
                try object.encode(1, forKey: a)
                try repeated.encode(2, forKey: b)
                var array = first.nestedUnkeyedContainer(forKey: b)
                var others = second.nestedUnkeyedContainer(forKey: b)
                try array.encode(1)
                try others.encode(others.count)
            }, #"{"a":{"a":1,"b":2},"b":[1,1]}"#
        ),
        (
            // A container extends a value that was encoded before.
            { encoder in
                var single = encoder.singleValueContainer()
                try single.encode(["a": 1])
                var root = encoder.container(keyedBy: AnyKey.self)
                try root.encode([Optional(2)], forKey: b)
                var array = root.nestedUnkeyedContainer(forKey: b)
                try array.encode(3)
            }, #"{"a":1,"b":[2,3]}"#
        ),
        (
            // A container extends the last of two values.
            { encoder in
                var root = encoder.container(keyedBy: AnyKey.self)
                try root.encode(["x": 1], forKey: b)
                try root.encode(["x": 1], forKey: a)
                try root.encode(["x": 2, "y": 3], forKey: a)
                var object = root.nestedContainer(keyedBy: AnyKey.self, forKey: a)
                try object.encode(5, forKey: AnyKey("x"))
                try object.encode(6, forKey: AnyKey("z"))
                try root.encode([Int](), forKey: b)
                try root.encode([1], forKey: b)
                var array = root.nestedUnkeyedContainer(forKey: b)
                try array.encode(2)
                try root.encode(7, forKey: AnyKey("c"))
            }, #"{"a":{"x":5,"y":3,"z":6},"b":[1,2],"c":7}"#
        ),
        (
            // The value of a super encoder replaces an earlier one.
            { encoder in
                var root = encoder.container(keyedBy: AnyKey.self)
                try ["x": 1, "y": 2].encode(to: root.superEncoder(forKey: a))
                try ["x": 3].encode(to: root.superEncoder(forKey: a))
                try ["x": 4].encode(to: root.superEncoder(forKey: b))
                try root.encode(["x": 5], forKey: b)
                var object = root.nestedContainer(keyedBy: AnyKey.self, forKey: b)
                try object.encode(6, forKey: AnyKey("x"))
            }, #"{"a":{"x":3},"b":{"x":6}}"#
        ),
        (
            { encoder in
                var root = encoder.container(keyedBy: AnyKey.self)
                try ["x": 1].encode(to: root.superEncoder())
                try "text".encode(to: root.superEncoder(forKey: a))
                _ = root.superEncoder(forKey: b)
            }, #"{"a":"text","b":{},"super":{"x":1}}"#
        ),
        (
            { encoder in
                var root = encoder.unkeyedContainer()
                try root.encodeNil()
                try [1].encode(to: root.superEncoder())
                _ = root.superEncoder()
                try root.encode(root.count)
            }, "[null,[1],{},3]"
        ),
        (
            // A value that fails to encode is left out.
            { encoder in
                let failing = Encoding { encoder in
                    var container = encoder.container(keyedBy: AnyKey.self)
                    try container.encode(1, forKey: a)
                    throw Fault()
                }
                var root = encoder.container(keyedBy: AnyKey.self)
                try? root.encode(failing, forKey: a)
                try? root.encode(Double.nan, forKey: a)
                try root.encode(1, forKey: b)
                try? root.encode(Double.nan, forKey: b)
                var array = root.nestedUnkeyedContainer(forKey: AnyKey("c"))
                try? array.encode(Float.nan)
                try? array.encode(Encoding { _ in throw Fault() })
                try array.encode(array.count)
            }, #"{"b":1,"c":[0]}"#
        ),
        (
            { encoder in
                var root = encoder.container(keyedBy: AnyKey.self)
                try root.encodeNil(forKey: a)
                try root.encodeIfPresent(Int?.none, forKey: b)
                try root.encodeIfPresent(Date?.none, forKey: b)
                try root.encodeIfPresent(UInt128.max, forKey: AnyKey("c"))
                try root.encode(Int128.min, forKey: AnyKey("d"))
                try root.encode(String?.none, forKey: AnyKey("e"))
            },
            #"{"a":null,"c":340282366920938463463374607431768211455,"#
                + #""d":-170141183460469231731687303715884105728,"e":null}"#
        ),
    ]

    @Test(arguments: validUses.indices) func encodesAllValidUsesOfContainers(index: Int) throws {
        let value = Encoding(Self.validUses[index].body)
        #expect(try JSONContentEncoder(sortedKeys: true).text(value) == Self.validUses[index].text)
        try expectFoundationsText(value)
        try expectFoundationsText(["in": [value]])
    }

    /// A single value that fails to encode can be replaced by another.
    @Test func replacesAValueThatFailed() throws {
        let value = Encoding { encoder in
            var single = encoder.singleValueContainer()
            do {
                try single.encode(["a": [Double.nan]])
            } catch {
                try single.encode("none")
            }
        }
        #expect(try JSONContentEncoder().text([value]) == #"["none"]"#)
    }

    /// Uses of containers that trap in Foundation.
    private static let invalidUses: [Body] = [
        { encoder in
            _ = encoder.container(keyedBy: AnyKey.self)
            _ = encoder.unkeyedContainer()
        },
        { encoder in
            var array = encoder.unkeyedContainer()
            try array.encode(1)
            var object = encoder.container(keyedBy: AnyKey.self)
            try object.encode(1, forKey: a)
            try object.encode(2, forKey: b)
            _ = object.nestedContainer(keyedBy: AnyKey.self, forKey: a)
        },
        { encoder in
            var single = encoder.singleValueContainer()
            try single.encode(1)
            try single.encode(2)
        },
        { encoder in
            var single = encoder.singleValueContainer()
            try single.encodeNil()
            try single.encode(["a": 1])
        },
        { encoder in
            var single = encoder.singleValueContainer()
            try single.encode("x")
            _ = encoder.container(keyedBy: AnyKey.self)
        },
        { encoder in
            var single = encoder.singleValueContainer()
            try single.encode([1])
            try single.encodeNil()
        },
        { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            try root.encode(1, forKey: a)
            var array = root.nestedUnkeyedContainer(forKey: a)
            try array.encode(2)
        },
        { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            _ = root.nestedUnkeyedContainer(forKey: a)
            var object = root.nestedContainer(keyedBy: AnyKey.self, forKey: a)
            try object.encode(2, forKey: a)
        },
    ]

    @Test(arguments: invalidUses.indices) func rejectsAValueThatEncodesItselfTwice(index: Int) throws {
        let refused = try Refused { _ = try JSONContentEncoder().encode([["x": Encoding(Self.invalidUses[index])]]) }
        #expect(Array(refused.path.prefix(2)) == ["[0]", "x"])
        #expect(refused.reason == "it encodes itself twice; a value must be one text or one container")
    }

    @Test func encodesAValueAfterOneThatFailed() throws {
        struct Fault: Error {}
        let value = Encoding { encoder in
            var single = encoder.singleValueContainer()
            let faulty = Encoding { encoder in
                try ["x": 1].encode(to: encoder)
                throw Fault()
            }
            #expect(throws: (any Error).self) { try single.encode(faulty) }
            try single.encode(["x": 2])
        }
        #expect(try JSONContentEncoder().text(value) == #"{"x":2}"#)
    }

    /// Values encoded into a container that was replaced have no effect.
    @Test func ignoresContainersThatWereReplaced() throws {
        let value = Encoding { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            var array = root.nestedUnkeyedContainer(forKey: Self.a)
            let parent = root.superEncoder(forKey: Self.b)
            try root.encode(1, forKey: Self.a)
            try root.encode(2, forKey: Self.b)
            try array.encode(3)
            try array.encode(array.count)
            #expect(throws: EncodingError.self) { try "x".encode(to: parent) }
        }
        #expect(try JSONContentEncoder().text(value) == #"{"a":1,"b":2}"#)
    }

    @Test func findsEachOfManyMembers() throws {
        let count = 3000
        let value = Encoding { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            for number in 0..<count { try root.encode(-1, forKey: AnyKey("value \(number)")) }
            for round in 0..<2 {
                for number in 0..<count {
                    var object = root.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("object \(number)"))
                    try object.encode(number, forKey: AnyKey("\(round)"))
                    try root.encode(number, forKey: AnyKey("value \(number)"))
                }
            }
        }
        let values = (0..<count).map { #""value \#($0)":\#($0)"# }
        let objects = (0..<count).map { #""object \#($0)":{"0":\#($0),"1":\#($0)}"# }
        #expect(try JSONContentEncoder().text(value) == "{\((values + objects).joined(separator: ","))}")
    }

    /// Keys are compared by bytes, not by Unicode equivalence.
    @Test func distinguishesKeysByTheirBytes() throws {
        let value = Encoding { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            try root.encode(1, forKey: AnyKey("\u{E9}"))
            try root.encode(2, forKey: AnyKey("e\u{301}"))
        }
        #expect(try Array(JSONContentEncoder().text(value).utf8) == Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8))
    }
}
