internal import Apus
internal import Foundation
internal import Testing

@Suite struct ParameterValueTests {
    private static let name = "Ada"

    /// Parity: AF-legacy-parameters
    @Test func isCreatedFromLiterals() {
        let parameters: Parameters = [
            "nothing": nil, "truth": true, "whole": -3, "number": 1.5, "text": "x", "woven": "\(Self.name)!",
            "list": [1, "a", nil], "record": ["a": ["b": 2.5]], "empty": [:],
        ]
        #expect(
            parameters == [
                "nothing": .null, "truth": .bool(true), "whole": .integer(-3), "number": .number(1.5),
                "text": .string("x"),
                "woven": .string("Ada!"), "list": .array([.integer(1), .string("a"), .null]),
                "record": .dictionary(["a": .dictionary(["b": .number(2.5)])]), "empty": .dictionary([:]),
            ]
        )
        #expect(ParameterValue(dictionaryLiteral: ("a", 1), ("a", 2)) == .dictionary(["a": 2]))
    }

    /// Parity: AF-legacy-json-encoding
    @Test func encodesItselfAsJSON() throws {
        let parameters: Parameters = [
            "a": nil, "b": false, "c": 12, "d": 1.5, "e": "x", "f": [1, nil], "g": ["k": true], "h": .set(["y", "x"]),
            "i": .date(Date(timeIntervalSinceReferenceDate: 5)), "j": .data(Data([1, 2])),
            "k": .decimal(Decimal(string: "0.10") ?? 0), "l": 3.0,
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let expected =
            #"{"a":null,"b":false,"c":12,"d":1.5,"e":"x","f":[1,null],"g":{"k":true},"h":["x","y"],"i":5,"#
            + #""j":"AQI=","k":0.1,"l":3}"#
        #expect(try String(decoding: encoder.encode(parameters), as: UTF8.self) == expected)
    }

    /// Parity: AF-legacy-url-options
    @Test func encodesItselfByTheOptionsOfAForm() throws {
        let encoder = URLEncodedFormEncoder(
            arrayEncoding: .noBrackets,
            boolEncoding: .literal,
            dataEncoding: .custom { "\($0.count)" },
            dateEncoding: .iso8601,
            nilEncoding: .null
        )
        let parameters: Parameters = [
            "a": nil, "b": false, "c": [1, 2.5], "d": .date(Date(timeIntervalSince1970: 0)), "e": .data(Data([1, 2])),
            "f": .decimal(Decimal(string: "1.10") ?? 0),
        ]
        let form: String = try encoder.encode(parameters)
        #expect(form == "a=null&b=false&c=1&c=2.5&d=1970-01-01T00%3A00%3A00Z&e=2&f=1.1")
    }

    @Test func encodesItselfAsAPropertyListWithoutNull() throws {
        let parameters: Parameters = ["a": [1, "x"], "b": .set([2])]
        let request = try PropertyListParameterEncoder.default
            .encode(parameters, into: RequestMessage("http://h/", method: .post))
        let list = try PropertyListSerialization.propertyList(from: request.sentBytes, format: nil)
        #expect((list as? [String: [Any]])?["a"]?.count == 2)
    }
}
