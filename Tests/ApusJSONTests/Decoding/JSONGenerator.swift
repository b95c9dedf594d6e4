internal import Apus
internal import ApusJSON
internal import ApusTestServer
internal import Foundation

/// Generates JSON texts of many shapes. The same seed gives the same texts.
struct JSONGenerator: RandomNumberGenerator {
    private var numbers: SeededGenerator

    init(seed: UInt64) {
        numbers = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &self) == 0 }

    static let numbers = [
        "0", "-0", "1", "-1", "127", "128", "255", "256", "-129", "65536", "2147483648", "4294967296",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
        "18446744073709551616", "340282366920938463463374607431768211455", "1e0", "1.0", "1.5", "-2.5e0", "1e2",
        "12e-1",
        "120e-1", "0.1", "0.30000000000000004", "1e22", "1e23", "5e-324", "1.7976931348623157e308", "1e309",
        "9007199254740993", "9007199254740993.0", "16777217", "3.4028236e38", "1E+2", "123456789.123456789", "0.0",
        "-0.0",
    ]

    static let strings = [
        #""""#, #""a""#, #""true""#, #""Ada Lovelace""#, #""\"\\\/\b\f\n\r\t""#, #""\u00e9\u20AC\ud83e\udD85""#,
        #""é€🦅""#, #""e\u0301""#, #""2020-01-01T00:00:00Z""#, #""2020-02-30T00:00:00Z""#,
        #""2020-01-01T12:34:56.789Z""#,
        #""2020-01-01T00:00:00+01:00""#, #""aGk=""#, #""aGk""#, #""https://example.org/x?y=z#f""#, #""x y""#, #""NaN""#,
        #""Infinity""#, #""-Infinity""#, #""one""#, #""two""#, #""12""#,
    ]

    /// Suitable values for each member of `JSONSpecimen`.
    private static let suitable: [String: [String]] = [
        "bool": ["true", "false"], "text": strings, "number": ["0", "-12", "7e1", "1.0"], "small": ["0", "255", "2e2"],
        "large": ["18446744073709551615", "3"], "double": ["0.1", "-1e300", "5", "1.7976931348623157e308"],
        "float": ["0.1", "16777217", "-2.5e0"], "date": ["0", "1.5", #""2020-01-01T00:00:00Z""#], "data": [#""aGk=""#],
        "url": [#""https://example.org/x?y=z#f""#, #""x y""#], "decimal": ["0.1", "123456789012345678901234567890"],
        "nested": [#"{"small":-128,"number":65535,"text":"x","large":-9223372036854775808,"more":[{}]}"#, "{}"],
        "list": ["[]", "[1,2e0, 3]"], "table": [#"{"a_b":1,"c":2,"":3}"#, "{}"], "byNumber": [#"{"1":1,"-2":2.5}"#],
        "byKind": [#"{"one":1,"two":2}"#], "kind": [#""one""#, #""two""#],
        "choice": [#"{"number":{"_0":1}}"#, #"{"pair":{"_0":1.5,"text":"x"}}"#, #"{"none":{}}"#],
        "maybe": ["null", "1"],
        "two_words": strings, "three_short_words": ["null", #"[{"a_b":[1]}]"#], "résumé": strings,
    ]

    /// Returns an object that usually decodes as `JSONSpecimen`.
    mutating func specimen() -> String {
        let members = Self.suitable.sorted { $0.key < $1.key }.shuffled(using: &self).compactMap { name, values in
            name != "bool" && chance(3)
                ? nil : #""\#(name)"\#(space()):\#(chance(30) ? anyValue(depth: 1) : pick(values))"#
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// Returns a value that usually suits the name.
    mutating func value(for name: String, depth: Int) -> String {
        if chance(8) { return anyValue(depth: depth) }
        switch name {
        case "bool": return pick(["true", "false"])
        case "text", "url", "kind",
            "date" where chance(2), "data", "two_words", "twoWords", "résumé":
            return pick(Self.strings)
        case "number", "small", "large", "double", "float", "decimal", "date": return pick(Self.numbers)
        case "nested", "super", "maybe": return object(depth: depth - 1)
        case "list":
            return array(depth: depth - 1) { $0.chance(9) ? $0.anyValue(depth: 1) : $0.pick(["0", "1", "7e1", "-3"]) }
        case "table": return table(JSONByHand.names)
        case "byNumber": return table(["1", "2", "-3", "x"], oneIn: 12)
        case "byKind": return table(["one", "two"])
        case "choice": return #"{"\#(pick(["number", "pair", "none"]))":{"_0":\#(pick(Self.numbers)),"text":"x"}}"#
        default: return anyValue(depth: depth)
        }
    }

    mutating func anyValue(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &self) {
        case 0: "null"
        case 1: pick(["true", "false"])
        case 2, 3: pick(Self.numbers)
        case 4: pick(Self.strings)
        case 5: array(depth: depth - 1) { $0.anyValue(depth: depth - 1) }
        default: object(depth: depth - 1)
        }
    }

    mutating func object(depth: Int) -> String {
        var members: [String] = []
        for name in JSONByHand.names.shuffled(using: &self) where !chance(6) {
            let value = depth > 0 ? value(for: name, depth: depth) : "null"
            members.append(#"\#(space())"\#(name)"\#(space()):\#(space())\#(value)\#(space())"#)
            if chance(40) { members.append(#""\#(name)":\#(anyValue(depth: 1))"#) }
        }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func array(depth: Int, _ element: (inout JSONGenerator) -> String) -> String {
        let count = Int.random(in: 0..<5, using: &self)
        return "[\((0..<count).map { _ in space() + element(&self) }.joined(separator: ","))]"
    }

    private mutating func table(_ names: [String], oneIn: Int = 3) -> String {
        let kept = names.filter { _ in !chance(oneIn) }
        return
            "{\(kept.map { #""\#($0)":\#(chance(30) ? anyValue(depth: 0) : pick(["1", "2", "30"]))"# }.joined(separator: ","))}"
    }

    private mutating func space() -> String { chance(10) ? pick([" ", "\n", "\t", "\r\n  "]) : "" }

    /// Returns the text with some bytes replaced, removed or duplicated.
    mutating func mutated(_ text: String) -> Data {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &self) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<3, using: &self) {
            case 0:
                bytes[index] =
                    chance(2) ? UInt8.random(in: 0...255, using: &self) : pick(Array(#"{}[]",:0-.eE\u"#.utf8))
            case 1: bytes.remove(at: index)
            default: bytes.insert(bytes[index], at: index)
            }
        }
        return Data(bytes)
    }
}
