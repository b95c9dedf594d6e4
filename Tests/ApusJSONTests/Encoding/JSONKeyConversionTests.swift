internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite struct JSONKeyConversionTests {
    private enum Kind: String, Codable, CodingKeyRepresentable {
        case oneTwo
    }

    private struct Inner: Encodable {
        var someURL = 1
    }

    /// A value with one member.
    private func named(_ name: String) -> Encoding {
        Encoding { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(1, forKey: AnyKey(name))
        }
    }

    private let snakeCase = JSONContentEncoder(keyEncodingStrategy: .convertToSnakeCase)

    @Test(arguments: [
        "", "a", "A", "oneTwo", "OneTwo", "anURLToOpen", "URL", "theURL", "_oneTwo_", "__A", "a_B", "aB", "aBC", "aBCd",
        "ABc", "ABCDef", "x1Y2", "1A", "someÄpfel", "ÄpfelUndÖl", "straßeNr", "aǅb", "aⒶb", "aªB", "oneΣίσυφοςTwo",
        "日本Go", "aE\u{301}b", "a.Bc", "a[Bc]", "A.B", "with Space", "tail ", "a-B", "aB🦅Cd", "İstanbul", "inİstanbul",
        "aDŽb", "ﬀLigature",
    ])
    func convertsNamesAsFoundationDoes(name: String) throws {
        try expectFoundationsText(named(name), by: snakeCase)
    }

    @Test(arguments: UInt64(1)...10) func convertsAnyNamesAsFoundationDoes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let letters = Array("abzABZ019_.[]- äÄßǅÉéñÑжЖ日🦅Ⓐª".unicodeScalars)
        for _ in 0..<200 {
            var name = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...9, using: &random) {
                name.append(letters.randomElement(using: &random) ?? "a")
            }
            try expectFoundationsText(named(String(name)), by: snakeCase)
        }
    }

    @Test func doesNotConvertStringKeysOfDictionaries() throws {
        let value = ["oneTwo": ["threeFour": [Inner()]]]
        #expect(try snakeCase.text(value) == #"{"oneTwo":{"threeFour":[{"some_url":1}]}}"#)
        try expectFoundationsText(value, by: snakeCase)
        try expectFoundationsText([Optional(["oneTwo": Inner()])], by: snakeCase)
        try expectFoundationsText([Kind.oneTwo: 1], by: snakeCase)
        try expectFoundationsText([1: Inner()], by: snakeCase)
    }

    @Test func convertsTheKeysOfSuperclasses() throws {
        let value = Encoding { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try Inner().encode(to: container.superEncoder())
            try Inner().encode(to: container.superEncoder(forKey: AnyKey("myParent")))
            var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("myChild"))
            try nested.encode(1, forKey: AnyKey("myNumber"))
        }
        try expectFoundationsText(value, by: snakeCase)
        try expectFoundationsText(
            value,
            by: JSONContentEncoder(keyEncodingStrategy: .custom { AnyKey("\($0.last?.stringValue ?? "")+") })
        )
    }

    /// Two keys that convert to the same text are one member.
    @Test func keepsTheLastOfTwoKeysWithTheSameConversion() throws {
        let value = Encoding { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(1, forKey: AnyKey("oneTwo"))
            try container.encode(2, forKey: AnyKey("x"))
            try container.encode(3, forKey: AnyKey("one_two"))
        }
        #expect(try snakeCase.text(value) == #"{"one_two":3,"x":2}"#)
        try expectFoundationsText(value, by: snakeCase)
    }

    @Test func passesTheWholePathToACustomConversion() throws {
        let encoder = JSONContentEncoder(
            keyEncodingStrategy: .custom { path in
                let steps = path.map { key in key.intValue.map { "\(key.stringValue)=\($0)" } ?? key.stringValue }
                return AnyKey(steps.joined(separator: ">"))
            }
        )
        try expectFoundationsText(["a": [[Inner()]], "b": []], by: encoder)
        try expectFoundationsText([[1: Inner()]], by: encoder)
        let value = Encoding { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("x"))
            try nested.encode(Inner(), forKey: AnyKey("y"))
        }
        #expect(try encoder.text(value) == #"{"x":{"x>y":{"x>y>someURL":1}}}"#, "Foundation leaves the container out")
    }
}
