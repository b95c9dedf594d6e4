internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite struct JSONContentEncoderTests {
    private struct User: Encodable {
        var name = "Ada"
        var born: Int? = nil
        var links = ["http://h/a"]
        var isActive = true
        var address = ["zip": 1]
    }

    @Test func writesMembersInEncodingOrder() throws {
        let text = try JSONContentEncoder().text(User())
        #expect(text == #"{"name":"Ada","links":["http://h/a"],"isActive":true,"address":{"zip":1}}"#)
        let sorted = try JSONContentEncoder(sortedKeys: true).text(User())
        #expect(sorted == #"{"address":{"zip":1},"isActive":true,"links":["http://h/a"],"name":"Ada"}"#)
    }

    @Test func writesPrettyPrintedText() throws {
        let pretty = JSONContentEncoder(prettyPrinted: true)
        #expect(try pretty.text(["a": [1, 2]]) == "{\n  \"a\" : [\n    1,\n    2\n  ]\n}")
        #expect(try pretty.text([String]()) == "[\n\n]")
        #expect(try pretty.text(["a": [String: Int]()]) == "{\n  \"a\" : {\n\n  }\n}")
        try expectFoundationsText(["a": [], "b": [["c": [Int]()], [:]]])
    }

    @Test func encodesValuesThatAreNoObjects() throws {
        try expectFoundationsText("a/b\u{0}\u{7F}")
        try expectFoundationsText(1.5)
        try expectFoundationsText(Int?.none)
        try expectFoundationsText(Date(timeIntervalSince1970: 0))
        try expectFoundationsText(URL(string: "http://h/a"))
        try expectFoundationsText(Data([1, 2, 3]))
        try expectFoundationsText([Int]())
    }

    @Test func writesNumbersAsFoundationDoes() throws {
        let doubles = [
            0, -0.0, 1, 0.1, 1e21, .leastNonzeroMagnitude, 1e15, 1e16, 123456789.123, 1e-4, 1e-5,
            .greatestFiniteMagnitude,
            100, -10, 1.0 / 3,
        ]
        for number in doubles {
            try expectFoundationsText(number)
            try expectFoundationsText([number])
            try expectFoundationsText([Float(number)].filter(\.isFinite))
        }
        let integers: [any FixedWidthInteger & Encodable] = [
            Int.min, Int8.min, Int16.min, Int32.min, Int64.min, Int128.min, UInt.max, UInt8.max, UInt16.max, UInt32.max,
            UInt64.max, UInt128.max, 0, -1, 10, UInt8.min,
        ]
        for number in integers { try expectFoundationsText(number) }
        for digits in ["0", "-0.00001", "1234567890123456789012345678.12345", "1e30", "1e-30"] {
            try expectFoundationsText(Decimal(string: digits))
        }
    }

    @Test func escapesOnlyRequiredCharacters() throws {
        for code in UInt32(0)..<0x100 {
            guard let scalar = Unicode.Scalar(code) else { continue }
            for count in [0, 7, 8, 20] {
                let text = String(repeating: "x", count: count) + String(scalar) + "tail of it"
                try expectFoundationsText([text: text])
            }
        }
    }

    @Test func rejectsNonfiniteNumbers() throws {
        for number in [Double.nan, .infinity, -.infinity] {
            let refused = try Refused { _ = try JSONContentEncoder().encode(["a": [1, number]]) }
            #expect(refused.path == ["a", "[1]"])
            #expect(refused.type == "Double")
            #expect(refused.reason == "it is not a finite number, which JSON can't represent")
        }
        #expect(try Refused { _ = try JSONContentEncoder().encode([Float.nan]) }.type == "Float")
        let decimal = try Refused { _ = try JSONContentEncoder().encode(["a": Decimal.nan]) }
        #expect(decimal.path == ["a"], "JSONEncoder would write NaN")
        #expect(decimal.type == "Decimal")
    }

    @Test func writesNonfiniteNumbersAsTextIfConfigured() throws {
        let encoder = JSONContentEncoder(
            nonConformingFloatEncodingStrategy: .convertToString(
                positiveInfinity: "+/",
                negativeInfinity: "-\"",
                nan: "?"
            )
        )
        try expectFoundationsText([Double.nan, .infinity, -.infinity, 1], by: encoder)
        try expectFoundationsText(["a": -Float.infinity], by: encoder)
        try expectFoundationsText(Date(timeIntervalSince1970: .nan), by: encoder)
        #expect(try encoder.text([Decimal.nan]) == #"["?"]"#)
    }

    @Test func passesUserInfoToValues() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "key"))
        let value = Encoding { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(encoder.userInfo[key] as? Int)
        }
        #expect(try JSONContentEncoder(userInfo: [key: 5]).text(["a": value]) == #"{"a":5}"#)
    }

    @Test func rejectsAValueThatEncodesNothing() throws {
        let nothing = Encoding { _ in }
        let refused = try Refused { _ = try JSONContentEncoder().encode(nothing) }
        #expect(refused == Refused(path: [], type: "Encoding", reason: "it did not encode any values"))
        try expectFoundationsText([nothing])
        try expectFoundationsText(["a": nothing])
        try expectFoundationsText(
            Encoding { encoder in
                var container = encoder.singleValueContainer()
                try container.encode(nothing)
            }
        )
    }

    @Test func rethrowsErrorsOfValues() throws {
        #expect(throws: Fault()) { try JSONContentEncoder().encode(["a": [Encoding { _ in throw Fault() }]]) }
    }

    /// An encoder is a value that many tasks may use at the same time.
    @Test func supportsConcurrentUse() async throws {
        let encoder = JSONContentEncoder(keyEncodingStrategy: .convertToSnakeCase, sortedKeys: true)
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try encoder.text(User()) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts == [#"{"address":{"zip":1},"is_active":true,"links":["http://h/a"],"name":"Ada"}"#])
    }
}
