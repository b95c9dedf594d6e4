internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusJSON

@Suite struct JSONNumberTests {
    /// The text of a number, its normalized text, and its integer value.
    static let texts: [(String, String, Int64?)] = [
        ("0", "0", 0), ("-0", "-0.0", 0), ("1", "1", 1), ("-1", "-1", -1),
        ("9007199254740993", "9007199254740993", 9_007_199_254_740_993),
        ("9223372036854775807", "9223372036854775807", .max), ("-9223372036854775808", "-9223372036854775808", .min),
        ("9223372036854775808", "9223372036854775808", nil), ("18446744073709551615", "18446744073709551615", nil),
        ("18446744073709551616", "18446744073709551616", nil), ("-9223372036854775809", "-9223372036854775809", nil),
        ("123456789012345678901234567890", "123456789012345678901234567890", nil),
        ("1.0", "1.0", 1), ("-1.50", "-1.5", nil), ("0.1", "0.1", nil), ("1.10", "1.1", nil), ("1e3", "1000.0", 1000),
        ("12.5E-1", "1.25", nil), ("1E+2", "100.0", 100), ("0e5", "0.0", 0), ("0.000", "0.0", 0),
        ("0e99999999999999999999", "0.0", 0), ("-0.0e1", "-0.0", 0),
        ("0.1234567890123456789", "0.1234567890123456789", nil), ("3.141592653589793", "3.141592653589793", nil),
        ("9007199254740993.0", "9007199254740993.0", 9_007_199_254_740_993),
        ("1e22", "1e+22", nil), ("1e23", "1e+23", nil), ("1e308", "1e+308", nil), ("1e309", "1e309", nil),
        ("-1e400", "-1e400", nil), ("5e-324", "5e-324", nil), ("4e-324", "4e-324", nil), ("1e-400", "1e-400", nil),
        ("1e99999999999999999999", "1e99999999999999999999", nil),
        ("1.7976931348623157e308", "1.7976931348623157e+308", nil),
        ("922337203685477580700e-2", "922337203685477580700e-2", .max), ("100000000000000000000e-20", "1.0", 1),
    ]

    @Test(arguments: texts)
    func keepsEveryDigit(text: String, written: String, integer: Int64?) throws {
        let number = try #require(JSONNumber(text))
        #expect(number.text == written)
        #expect(number.int64 == integer)
        #expect(JSONNumber(number.text) == number)
    }

    @Test(arguments: [
        "", " 1", "1 ", "01", "1.", ".5", "+1", "-", "1e", "0x1", "1_0", "NaN", "Infinity", "inf", "1,2", "[1]", "true",
    ])
    func rejectsInvalidNumbers(text: String) {
        #expect(JSONNumber(text) == nil)
    }

    @Test(arguments: [
        ["1", "1.0", "10e-1", "0.1e1", "1e0", "100000000000000000000e-20"], ["0", "-0", "0.0", "-0e7", "0e400"],
        ["0.1", "1e-1", "0.10", "0.01e1"], ["1e400", "10e399", "0.1E+401"], ["-25", "-2.5e1", "-250e-1"],
        ["9007199254740993", "9007199254740993.0", "9.007199254740993e15"],
        ["18446744073709551616", "18446744073709551616.0", "1844674407370955161600e-2"],
    ])
    func isEqualIfTheValuesAreEqual(texts: [String]) throws {
        let numbers = try texts.map { try #require(JSONNumber($0)) }
        for number in numbers {
            #expect(number == numbers[0] && numbers[0] == number)
            #expect(number.hashValue == numbers[0].hashValue)
        }
    }

    @Test(arguments: [
        ("1", "2"), ("1", "-1"), ("9007199254740993", "9007199254740992.0"), ("9007199254740993", "9007199254740992"),
        ("0.1", "0.10000000000000001"), ("1e400", "1e401"), ("1e-400", "0"),
        ("18446744073709551615", "1.8446744073709552e19"),
    ])
    func isNotEqualIfTheValuesDiffer(left: String, right: String) throws {
        #expect(try #require(JSONNumber(left)) != #require(JSONNumber(right)))
    }

    @Test func isCreatedFromIntegersOfAnyWidth() {
        #expect(JSONNumber(Int8.min).int == -128)
        #expect(JSONNumber(UInt64.max).uint64 == .max)
        #expect(JSONNumber(UInt64.max).int64 == nil)
        #expect(JSONNumber(Int64.min).int64 == .min)
        #expect(JSONNumber(-1).uint64 == nil)
        #expect(JSONNumber(Int128.max).text == "170141183460469231731687303715884105727")
        #expect(JSONNumber(UInt64(7)) == JSONNumber(Int8(7)))
    }

    @Test func isCreatedFromFiniteDoubles() {
        #expect(JSONNumber(0.1)?.text == "0.1")
        #expect(JSONNumber(-0.0)?.text == "-0.0")
        #expect(JSONNumber(2.0) == JSONNumber(2))
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(-Double.infinity) == nil)
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(Double.greatestFiniteMagnitude)?.double == .greatestFiniteMagnitude)
    }

    @Test func returnsTheNearestDoubleAndDecimal() throws {
        #expect(JSONNumber("123456789012345678901234567890")?.double == 1.2345678901234568e29)
        #expect(JSONNumber("1e400")?.double == nil)
        #expect(JSONNumber("1e-400")?.double == 0)
        #expect(JSONNumber(Int64.max).double == 9.223372036854775807e18)
        #expect(JSONNumber("0.1234567890123456789")?.decimal == Decimal(string: "0.1234567890123456789"))
        #expect(JSONNumber(UInt64.max).decimal == Decimal(UInt64.max))
        #expect(JSONNumber("1e400")?.decimal == nil)
    }

    /// Random texts of each length: their values match those of the standard library, and survive a round trip.
    @Test func agreesWithTheStandardLibrary() throws {
        var state: UInt64 = 9
        func random(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        for _ in 0..<5000 {
            var text = random(2) == 0 ? "" : "-"
            text += "\(random(10) == 0 ? 0 : random(9) + 1)"
            if !text.hasSuffix("0") { for _ in 0..<random(20) { text += "\(random(10))" } }
            if random(2) == 0 {
                text += "."
                for _ in 0...random(20) { text += "\(random(10))" }
            }
            if random(3) == 0 { text += "e\(random(2) == 0 ? "-" : "+")\(random(330))" }
            let number = try #require(JSONNumber(text), "\(text)")
            let double = try #require(Double(text))
            #expect(number.double == (double.isFinite ? double : nil), "\(text)")
            #expect(number.int64 == Int64(text) || Int64(text) == nil, "\(text)")
            #expect(JSONNumber(number.text) == number, "\(text)")
            #expect(number == JSONNumber(text), "\(text)")
        }
    }
}
