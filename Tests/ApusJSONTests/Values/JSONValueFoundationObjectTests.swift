internal import Apus
internal import Foundation
internal import Testing

@Suite struct JSONValueFoundationObjectTests {
    private struct Strange {}

    private func text(of object: Any) throws -> String { try JSONValue(foundationObject: object).jsonText() }

    private func refusal(of object: Any, depthLimit: Int = JSONValue.defaultDepthLimit) throws -> String {
        let error = #expect(throws: ApusError.self) {
            try JSONValue(foundationObject: object, depthLimit: depthLimit)
        }
        #expect(error?.code == .parameterEncodingFailed)
        return try #require(error).detail
    }

    // MARK: To Foundation

    /// Parity: AF-serializer-json, AFN-response-json-options
    @Test func canBeCastLikeTheObjectsOfJSONSerialization() throws {
        let text = #"{"a":[1,-2,1.5,true,null],"b":"x","c":{},"d":18446744073709551615}"#
        let object = try #require(try JSONValue(parsing: text).foundationObject as? [String: Any])
        let array = try #require(object["a"] as? [Any])
        #expect(array[0] as? Int == 1)
        #expect(array[0] as? Double == 1)
        #expect(array[1] as? Int == -2)
        #expect(array[2] as? Double == 1.5)
        #expect(array[3] as? Bool == true)
        #expect(array[4] is NSNull)
        #expect(object["b"] as? String == "x")
        #expect((object["c"] as? [String: Any])?.isEmpty == true)
        #expect(object["d"] as? UInt64 == .max)
        let written = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        #expect(String(decoding: written, as: UTF8.self) == text)
    }

    @Test(arguments: [
        "null", "true", "false", "0", "1", "1.5", "-9223372036854775808", "9223372036854775807",
        "18446744073709551615", "1e300", "0.1", "0.1234567890123456789012345678", "123456789012345678901234567890",
        #""é""#, "[]", "{}", #"[[],{},[[{}]],{"":null}]"#, #"{"a":[true,1,false,0],"b":{"c":"x"}}"#,
    ])
    func isTheSameAfterwards(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(try JSONValue(foundationObject: value.foundationObject) == value)
    }

    @Test func isInfiniteBeyondTheRangeOfFoundation() throws {
        #expect(try JSONValue(parsing: "1e400").foundationObject as? Double == .infinity)
        #expect(try JSONValue(parsing: "-1e400").foundationObject as? Double == -.infinity)
    }

    // MARK: From Foundation

    @Test func readsTheObjectsOfJSONSerialization() throws {
        let text = #"{"a":[true,1,false,0,1.5,null,18446744073709551615],"b":{"c":"x"},"d":[]}"#
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(try JSONValue(foundationObject: object) == JSONValue(parsing: text))
    }

    @Test func distinguishesBooleansFromNumbers() throws {
        let objects: [Any] = [
            NSNumber(value: true), NSNumber(value: 1), true, 1, NSNumber(value: false), NSNumber(value: 0), false, 0,
            NSNumber(value: Int8(1)), NSNumber(value: UInt8(0)), NSNumber(value: 1.5), NSDecimalNumber(decimal: 1),
        ]
        #expect(try text(of: objects) == "[true,1,true,1,false,0,false,0,1,0,1.5,1]")
    }

    @Test func keepsIntegersOfEveryWidth() throws {
        let integers: [Any] = [
            Int.max, Int.min, UInt.max, Int8.min, UInt8.max, Int16.min, UInt16.max, Int32.min, UInt32.max, Int64.min,
            UInt64.max, Int128.min, UInt128.max,
        ]
        for integer in integers { #expect(try text(of: integer) == "\(integer)") }
        for integer in [Int64.min, .max] { #expect(try text(of: NSNumber(value: integer)) == "\(integer)") }
        #expect(try text(of: NSNumber(value: UInt64.max)) == "18446744073709551615")
    }

    @Test func keepsTheDigitsOfFractions() throws {
        #expect(try text(of: Float(0.1)) == "0.1")
        #expect(try text(of: NSNumber(value: Float(0.1))) == "0.1")
        #expect(try text(of: 0.1) == "0.1")
        #expect(try text(of: NSNumber(value: 1e300)) == "1e+300")
        let digits = "12345678901234567890.123456789012345678"
        let decimal = try #require(Decimal(string: digits))
        #expect(try text(of: decimal) == digits)
        #expect(try text(of: NSDecimalNumber(decimal: decimal)) == digits)
    }

    @Test func readsOptionalsOfAnyDepth() throws {
        let some: Int??? = 5
        let none: String?? = .some(.none)
        #expect(try text(of: [some as Any, none as Any, Int?.none as Any]) == "[5,null,null]")
        #expect(try text(of: [1, nil] as [Int?]) == "[1,null]")
        #expect(try text(of: ["a": nil, "b": "x"] as [String: String?]) == #"{"a":null,"b":"x"}"#)
    }

    @Test func readsCollectionsOfOneType() throws {
        #expect(try text(of: [1, 2]) == "[1,2]")
        #expect(try text(of: ["b": [1], "a": []]) == #"{"a":[],"b":[1]}"#)
        #expect(try text(of: [String: Any]()) == "{}")
        #expect(try text(of: [[String]]()) == "[]")
        #expect(try text(of: ["k": NSArray(array: ["x", "y"]), "l": NSDictionary()]) == #"{"k":["x","y"],"l":{}}"#)
        let dictionary = NSDictionary(dictionary: ["name": NSString(string: "Ada")])
        #expect(try text(of: [dictionary]) == #"[{"name":"Ada"}]"#)
    }

    @Test func readsOtherTexts() throws {
        #expect(try text(of: "abc".prefix(2)) == #""ab""#)
        #expect(try text(of: NSString(string: "é")) == #""é""#)
    }

    @Test func keepsStrangeNames() throws {
        let object = ["b": 1, "a": 2, "": 3, "\u{0}": 4, "a.b[0]": 5, "é": 6]
        let value = try JSONValue(foundationObject: object)
        #expect(value.object?.keys == ["", "\u{0}", "a", "a.b[0]", "b", "é"])
        #expect(value.object?.count == object.count)
    }

    @Test func keepsItsOwnValues() throws {
        let object: [String: Any] = ["a": JSONValue.object(["z": 1, "b": 2]), "b": JSONValue.null, "c": 3]
        #expect(try text(of: object) == #"{"a":{"z":1,"b":2},"b":null,"c":3}"#)
    }

    // MARK: Refusals

    @Test func rejectsNumbersThatAreNotFinite() throws {
        let numbers: [Any] = [
            Double.nan, -Double.infinity, Float.infinity, Decimal.nan, NSNumber(value: Double.nan),
            NSDecimalNumber.notANumber,
        ]
        for number in numbers {
            let array: [Any] = [0, number]
            #expect(try refusal(of: ["a": array]).hasPrefix("the value at a[1] is not a finite number"))
        }
    }

    @Test func namesThePathAndTheFault() throws {
        let users: [[String: Any]] = [["name": "x"], ["name": Date(timeIntervalSince1970: 0)]]
        #expect(try refusal(of: ["users": users]).hasPrefix("the value at users[1].name is a date"))
        #expect(try refusal(of: Data([1])).hasPrefix("the value at the root is data"))
        #expect(try refusal(of: ["a": Set([1])]).hasPrefix("the value at a is a set"))
        #expect(try refusal(of: [URL(filePath: "/")]).hasPrefix("the value at [0] has the type URL"))
        #expect(try refusal(of: [0: "a"]).hasPrefix("the value at the root is a dictionary with a key"))
        #expect(try refusal(of: Strange()).hasPrefix("the value at the root has the type Strange"))
    }

    @Test func limitsItsDepth() throws {
        func nested(_ depth: Int) -> Any { (0..<depth).reduce(1 as Any) { object, _ in [object] as [Any] } }
        #expect(try text(of: nested(3)) == "[[[1]]]")
        #expect(try JSONValue(foundationObject: nested(3), depthLimit: 3)[0][0][0] == 1)
        #expect(try JSONValue(foundationObject: 1, depthLimit: 0) == 1)
        let detail = try refusal(of: nested(4), depthLimit: 3)
        #expect(detail.hasPrefix("the value at [0][0][0] is nested deeper than 3 levels"))
        #expect(try JSONValue(foundationObject: nested(JSONValue.defaultDepthLimit)).array?.count == 1)
        #expect(try refusal(of: nested(JSONValue.defaultDepthLimit + 1)).contains("nested deeper than 512 levels"))
    }
}
