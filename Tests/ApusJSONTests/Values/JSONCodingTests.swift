internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusJSON

@Suite struct JSONCodingTests {
    static let values: [JSONValue] = [
        nil, true, false, 0, 1, -1, 1.5, 1e300, "", "true", "1", [], [:], [nil, [1, ["a": [true]]]],
        ["a": ["b": ["c": nil]], "d": [1, 1.0, "x", false]],
    ]

    @Test(arguments: values)
    func survivesARoundTripThroughFoundation(value: JSONValue) throws {
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        #expect(try JSONValue(parsing: data) == value)
    }

    @Test(arguments: [
        "9223372036854775807", "-9223372036854775808", "18446744073709551615", "9007199254740993",
        "12345678901234567890123456789012345678", "0.12345678901234567890123456789", "0.1", "1e-300",
        "3.141592653589793",
    ])
    func keepsTheDigitsOfNumbers(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == value)
        #expect(try JSONValue(parsing: JSONEncoder().encode([value])) == [value])
    }

    @Test(arguments: ["1e400", "123456789012345678901234567890123456789012345678901234567890"])
    func rejectsNumbersThatWouldLoseDigits(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(value) }
    }

    @Test func isCodableWithinOtherTypes() throws {
        struct Event: Codable, Equatable {
            let id: Int
            let details: JSONValue
            let more: JSONValue?
        }
        let event = Event(id: 1, details: ["kind": "x", "list": [1, nil]], more: nil)
        let data = try JSONEncoder().encode(event)
        #expect(try JSONDecoder().decode(Event.self, from: data) == event)
    }

    @Test func distinguishesBooleansFromNumbersInPropertyLists() throws {
        let value: JSONValue = ["a": true, "b": 1, "c": [0, false], "d": "x", "e": 1.5]
        let data = try PropertyListEncoder().encode(value)
        #expect(try PropertyListDecoder().decode(JSONValue.self, from: data) == value)
    }
}
