internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

private struct Inner: Encodable {
    var b = "x"
    var a = 1
}

private struct Outer: Encodable {
    var one = "one"
    var two = 2
    var three = true
    var four = [3, 1, 2]
    var five = ["a": "a"]
    var six = ["a": ["b": "b"]]
    var seven = Inner()
}

private class Parent: Encodable {
    var name = "parent"
    var age = 50
}

private final class Child: Parent {
    private enum CodingKeys: CodingKey { case name, toy }

    let encodesParent: @Sendable (Child, any Encoder) throws -> Void

    init(_ encodesParent: @escaping @Sendable (Child, any Encoder) throws -> Void) {
        self.encodesParent = encodesParent
    }

    func encodeParent(to encoder: any Encoder) throws { try super.encode(to: encoder) }

    override func encode(to encoder: any Encoder) throws {
        try encodesParent(self, encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("child", forKey: .name)
        try container.encode("ball", forKey: .toy)
    }
}

@Suite struct URLEncodedFormEncoderTests {
    private func form(_ value: some Encodable, _ encoder: URLEncodedFormEncoder = .default) throws -> String {
        let form: String = try encoder.encode(value)
        return form.replacing("%5B", with: "[").replacing("%5D", with: "]")
    }

    /// Parity: AF-form-order-sorted
    @Test func sortsPairsByKey() throws {
        let expected = "five[a]=a&four[]=3&four[]=1&four[]=2&one=one&seven[a]=1&seven[b]=x&six[a][b]=b&three=1&two=2"
        #expect(try form(Outer()) == expected)
        let bytes: Data = try URLEncodedFormEncoder().encode(["a": "[ä]"])
        #expect(bytes == Data("a=%5B%C3%A4%5D".utf8))
    }

    /// Parity: AF-form-order-encoded
    @Test func keepsTheEncodingOrderIfConfigured() throws {
        let encoder = URLEncodedFormEncoder(alphabetizeKeyValuePairs: false)
        let expected = "one=one&two=2&three=1&four[]=3&four[]=1&four[]=2&five[a]=a&six[a][b]=b&seven[b]=x&seven[a]=1"
        #expect(try form(Outer(), encoder) == expected)
    }

    /// Parity: AF-form-order-sorted
    @Test func sortsByKeyAndNotByValue() throws {
        let value = ["a": "z", "a1": "b", "a-": "c", "aa": "a", "B": "d", "ä": "e", "": "f"]
        #expect(try form(value) == "=f&B=d&a=z&a-=c&a1=b&aa=a&%C3%A4=e")
    }

    /// Parity: AF-form-order-sorted, AF-fault-array-order
    @Test(arguments: [true, false]) func keepsTheOrderOfElements(isSorted: Bool) throws {
        let encoder = URLEncodedFormEncoder(alphabetizeKeyValuePairs: isSorted)
        let numbers = [10, 9, 2, 33, 1]
        #expect(try form(["n": numbers], encoder) == numbers.map { "n[]=\($0)" }.joined(separator: "&"))
        // The pairs of each record in an array stay together.
        let records = ["r": [["b": 2], ["a": 3], ["b": 1]]]
        #expect(try form(records, encoder) == "r[][b]=2&r[][a]=3&r[][b]=1")
        let many = ["m": Array(0..<12)]
        let indexed = URLEncodedFormEncoder(alphabetizeKeyValuePairs: isSorted, arrayEncoding: .indexInBrackets)
        #expect(try form(many, indexed) == (0..<12).map { "m[\($0)]=\($0)" }.joined(separator: "&"))
    }

    /// Parity: AF-form-empty
    @Test func leavesOutEmptyArraysAndDictionaries() throws {
        #expect(try form([String: String]()) == "")
        #expect(try form(["a": [Int]()]) == "")
        #expect(try form(["a": [[String: Int]()]]) == "")
        #expect(try form(["a": ["b": ["c": [Int]()]]]) == "")
        #expect(try form(Encoding { _ in }) == "")
        let holes = ["a": [[], [1], [], [2]]]
        #expect(try form(holes, URLEncodedFormEncoder(arrayEncoding: .indexInBrackets)) == "a[0][0]=1&a[1][0]=2")
    }

    @Test func usesTheIntegerKeysOfDictionaries() throws {
        #expect(try form(["a": [7: "x", 10: "y"]]) == "a[10]=y&a[7]=x")
        #expect(try form([1: "x"]) == "1=x")
    }

    @Test func encodesContainersOfAllKinds() throws {
        let value = Encoding { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            var keyed = root.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("k"))
            var unkeyed = root.nestedUnkeyedContainer(forKey: AnyKey("u"))
            try unkeyed.encode(1)
            try keyed.encode("x", forKey: AnyKey("a"))
            var record = unkeyed.nestedContainer(keyedBy: AnyKey.self)
            try record.encode(2, forKey: AnyKey("r"))
            var list = unkeyed.nestedUnkeyedContainer()
            try list.encode(3)
            try keyed.encode("y", forKey: AnyKey("b"))
            try unkeyed.encode(4)
            #expect(unkeyed.count == 4)
        }
        #expect(try form(value) == "k[a]=x&k[b]=y&u[]=1&u[][r]=2&u[][]=3&u[]=4")
    }

    @Test func encodesThroughSuperEncoders() throws {
        let value = Encoding { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            try root.encode(1, forKey: AnyKey("a"))
            try ["b": 2].encode(to: root.superEncoder())
            try ["c": 3].encode(to: root.superEncoder(forKey: AnyKey("s")))
            try 4.encode(to: root.superEncoder(forKey: AnyKey("t")))
            var unkeyed = root.nestedUnkeyedContainer(forKey: AnyKey("u"))
            try ["d": 5].encode(to: unkeyed.superEncoder())
            try 6.encode(to: unkeyed.superEncoder())
        }
        #expect(try form(value) == "a=1&b=2&s[c]=3&t=4&u[][d]=5&u[]=6")
    }

    @Test(arguments: [true, false]) func keepsTheLastValueOfAKey(isSorted: Bool) throws {
        let encoder = URLEncodedFormEncoder(alphabetizeKeyValuePairs: isSorted)
        let direct = Child { child, encoder in try child.encodeParent(to: encoder) }
        #expect(try form(direct, encoder) == (isSorted ? "age=50&name=child&toy=ball" : "age=50&name=child&toy=ball"))
        let apart = Child { child, encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try child.encodeParent(to: container.superEncoder())
            try container.encodeNil(forKey: AnyKey("age"))
        }
        #expect(try form(apart, encoder) == "name=child&toy=ball")
        let twice = Encoding { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            try root.encode("lost", forKey: AnyKey("r"))
            try root.encode(["a": 1], forKey: AnyKey("r"))
            try root.encode(["b": 2], forKey: AnyKey("r"))
        }
        #expect(try form(twice, encoder) == "r[b]=2")
        // A container extends the value that exists already. A later value replaces all of it.
        let opened = Encoding { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            try root.encode("lost", forKey: AnyKey("r"))
            for key in ["a", "b"] {
                var inner = root.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("r"))
                try inner.encode(1, forKey: AnyKey(key))
            }
            try root.encode(["a": 1], forKey: AnyKey("s"))
            var list = root.nestedUnkeyedContainer(forKey: AnyKey("t"))
            try list.encode(1)
            try root.encode(2, forKey: AnyKey("s"))
            try root.encode(["x"], forKey: AnyKey("t"))
            try root.encode(["lost": 1], forKey: AnyKey("u"))
            try ["c": 3].encode(to: root.superEncoder(forKey: AnyKey("u")))
        }
        #expect(try form(opened, encoder) == "r[a]=1&r[b]=1&s=2&t[]=x&u[c]=3")
        // A superclass and its subclass may both encode a key.
        let inherited = Encoding { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            try ["tags": ["a"], "other": ["b"]].encode(to: root.superEncoder())
            try root.encode(["a", "c"], forKey: AnyKey("tags"))
        }
        #expect(try form(inherited, URLEncodedFormEncoder()) == "other[]=b&tags[]=a&tags[]=c")
    }

    @Test func extendsAContainerThatIsOpenedTwice() throws {
        let value = Encoding { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            for number in [1, 2] {
                var keyed = root.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("k"))
                try keyed.encode(number, forKey: AnyKey("a"))
                var unkeyed = root.nestedUnkeyedContainer(forKey: AnyKey("u"))
                #expect(unkeyed.count == number - 1)
                try unkeyed.encode(number)
            }
        }
        #expect(try form(value, URLEncodedFormEncoder(arrayEncoding: .indexInBrackets)) == "k[a]=2&u[0]=1&u[1]=2")
        let mixed = Encoding { encoder in
            var root = encoder.container(keyedBy: AnyKey.self)
            var keyed = root.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("k"))
            try keyed.encode(1, forKey: AnyKey("a"))
            var unkeyed = root.nestedUnkeyedContainer(forKey: AnyKey("k"))
            try unkeyed.encode(2)
        }
        #expect(try refusal { try form(mixed) }.code == .parameterEncodingFailed)
    }

    @Test func sortsConvertedKeysByTheirBytes() throws {
        // As strings, the composed letter sorts after "z".
        let encoder = URLEncodedFormEncoder(keyEncoding: .custom { $0 })
        #expect(try form(["e\u{301}": 1, "z": 2, "Z": 3], encoder) == "Z=3&e%CC%81=1&z=2")
    }

    @Test func unwrapsSingleValueContainers() throws {
        let value = Encoding { encoder in
            var single = encoder.singleValueContainer()
            try single.encode(Encoding { encoder in try ["a": 1].encode(to: encoder) })
        }
        #expect(try form(value) == "a=1")
    }

    // The tests take indices, because Swift Testing would encode the values to name the tests.
    static let rootsWithoutKeys = [
        Encoding { try 5.encode(to: $0) }, Encoding { try "x".encode(to: $0) }, Encoding { try [1].encode(to: $0) },
        Encoding { try [Int]().encode(to: $0) }, Encoding { try Date.distantPast.encode(to: $0) },
    ]

    /// Parity: AF-form-root
    @Test(arguments: rootsWithoutKeys.indices) func rejectsARootWithoutKeys(index: Int) throws {
        let error = try refusal { try form(Self.rootsWithoutKeys[index]) }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail == "the value at the root has no keys, but a form needs them; put it into a dictionary")
    }

    /// Parity: AF-form-root
    @Test func rejectsAScalarRoot() throws {
        #expect(try refusal { try form("x") }.detail.contains("has no keys"))
        #expect(try refusal { try form(1.5) }.detail.contains("has no keys"))
        #expect(try refusal { try form(Decimal(1)) }.detail.contains("has no keys"))
        #expect(try form(Inner?.none) == "")
    }

    @Test func reportsThePathOfARejectedValue() throws {
        let error = try refusal { try form(["a": ["b": [1, 2, .nan]]]) }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail == "the value at a.b[2] is not a finite number, which a form can't represent")
        #expect(error.underlying == nil)
        let hostile = try refusal { try form(["a\r\nb": Double.infinity]) }
        #expect(hostile.detail == #"the value at a\r\nb is not a finite number, which a form can't represent"#)
    }

    @Test func keepsErrorsOfValues() throws {
        let error = try refusal { try form(["a": [Encoding { _ in throw Fault() }]]) }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.underlying as? Fault == Fault())
        #expect(error.detail == "encoding the value at a[0] threw Fault()")
        let context = EncodingError.Context(codingPath: [AnyKey("own")], debugDescription: "not today")
        let refusal = try refusal { try form(["a": Encoding { _ in throw EncodingError.invalidValue(1, context) }]) }
        #expect(refusal.detail == "the value at own can't be encoded: not today")
        #expect(refusal.underlying is EncodingError)
    }

    static let doubleValues = [
        Encoding { encoder in
            var single = encoder.singleValueContainer()
            try single.encode(1)
            try single.encode(2)
        },
        Encoding { encoder in
            try 1.encode(to: encoder)
            try ["a": 1].encode(to: encoder)
        },
        Encoding { encoder in
            try ["a": 1].encode(to: encoder)
            try [1].encode(to: encoder)
        },
        Encoding { encoder in
            var unkeyed = encoder.unkeyedContainer()
            var keyed = encoder.container(keyedBy: AnyKey.self)
            try? keyed.encode(1, forKey: AnyKey("b"))
            try? unkeyed.encode(["a": 1])
        },
    ]

    @Test(arguments: doubleValues.indices) func rejectsAValueThatEncodesItselfTwice(index: Int) throws {
        #expect(
            try refusal { try form(["x": Self.doubleValues[index]]) }.detail.hasPrefix(
                "the value at x encodes itself twice"
            )
        )
    }

    @Test func passesTheCodingPathToValues() throws {
        let value = Encoding { encoder in
            #expect(encoder.codingPath.map(\.stringValue) == ["a", "Index 1"])
            #expect(encoder.codingPath.map(\.intValue) == [nil, 1])
            #expect(encoder.userInfo.isEmpty)
            var keyed = encoder.container(keyedBy: AnyKey.self)
            #expect(keyed.codingPath.count == 2)
            #expect(keyed.superEncoder(forKey: AnyKey("s")).codingPath.last?.stringValue == "s")
            #expect(keyed.nestedUnkeyedContainer(forKey: AnyKey("u")).codingPath.last?.stringValue == "u")
            try keyed.encode(1, forKey: AnyKey("k"))
        }
        #expect(try form(["a": [Encoding { try 0.encode(to: $0) }, value]]) == "a[]=0&a[][k]=1")
    }
}
