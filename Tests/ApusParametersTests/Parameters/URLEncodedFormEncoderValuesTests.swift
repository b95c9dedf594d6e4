internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

private enum Suit: String, Codable { case hearts = "♥" }

private enum Rank: Int, Codable { case ace = 1 }

private struct Optionals: Encodable {
    var bool: Bool?
    var string: String?
    var double: Double?
    var float: Float?
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var int128: Int128?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
    var uint128: UInt128?
    var date: Date?
    var list: [Int]?

    static let names = [
        "bool", "string", "double", "float", "int", "int8", "int16", "int32", "int64", "int128", "uint", "uint8",
        "uint16",
        "uint32", "uint64", "uint128", "date", "list",
    ]
}

private struct Record<Field: Encodable>: Encodable {
    var v: Field
    var w: Field?
}

@Suite struct URLEncodedFormEncoderValuesTests {
    typealias Encoder = URLEncodedFormEncoder

    /// A value and its expected text.
    struct Row: CustomTestStringConvertible, Sendable {
        let value: any Encodable & Sendable
        let text: String

        init(_ value: any Encodable & Sendable, _ text: String) {
            self.value = value
            self.text = text
        }

        var testDescription: String { "\(type(of: value)) \(text)" }
    }

    /// Returns the texts of a value in each kind of container.
    private func texts<Value: Encodable & Sendable>(of value: Value, _ encoder: Encoder) throws -> [String] {
        let single = Encoding { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
        let unkeyed = Encoding { encoder in
            var container = encoder.unkeyedContainer()
            try container.encode(value)
        }
        let forms: [String] = try [
            encoder.encode(["v": value]), encoder.encode(Record(v: value)), encoder.encode(["v": value as Value?]),
            encoder.encode(["v": [value]]), encoder.encode(["v": single]), encoder.encode(["v": unkeyed]),
        ]
        return forms.map { form in form.replacing("%5B%5D", with: "").replacing("v=", with: "") }
    }

    static let scalars: [Row] = [
        Row("", ""), Row("text", "text"), Row(true, "1"), Row(false, "0"), Row(0, "0"), Row(Int.min, "\(Int.min)"),
        Row(Int8.min, "-128"), Row(Int16.min, "-32768"), Row(Int32.max, "2147483647"), Row(Int64.max, "\(Int64.max)"),
        Row(Int128.min, "\(Int128.min)"), Row(UInt.max, "\(UInt.max)"), Row(UInt8.max, "255"), Row(UInt16.max, "65535"),
        Row(UInt32.max, "4294967295"), Row(UInt64.max, "\(UInt64.max)"), Row(UInt128.max, "\(UInt128.max)"),
        Row(1.0, "1.0"), Row(0.1, "0.1"), Row(-0.0, "-0.0"), Row(1e100, "1e%2B100"), Row(5e-300, "5e-300"),
        Row(Float(0.1), "0.1"), Row(Double(Float(0.1)), "0.10000000149011612"), Row(Float16(0.5), "0.5"),
        Row(CGFloat(1.25), "1.25"), Row(Decimal(string: "1.0") ?? 0, "1"),
        Row(Decimal(string: "1.123456") ?? 0, "1.123456"),
        Row(
            Decimal(string: "-12345678901234567890.123456789") ?? 0,
            "-12345678901234567890.123456789"
        ),
        Row(URL(filePath: "/a b"), "file%3A///a%2520b"), Row(Suit.hearts, "%E2%99%A5"), Row(Rank.ace, "1"),
        Row(
            UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
            "01020304-0506-0708-090A-0B0C0D0E0F10"
        ),
    ]

    /// Parity: AF-form-decimal
    @Test(arguments: scalars) func writesValues(row: Row) throws {
        #expect(try Set(texts(of: row.value, .default)) == [row.text])
    }

    @Test func writesAURLWithItsBase() throws {
        let url = try #require(URL(string: "b?c#d", relativeTo: URL(string: "http://h/a/")))
        #expect(try Encoder().encode(["u": url]) as String == "u=http%3A//h/a/b?c%23d")
    }

    static let notFinite: [Row] = [
        Row(Double.nan, ""), Row(Double.infinity, ""), Row(-Double.infinity, ""), Row(Float.nan, ""),
        Row(Float.infinity, ""), Row(Decimal.nan, ""), Row(Date(timeIntervalSince1970: .nan), ""),
        Row(Date(timeIntervalSince1970: .infinity), ""),
    ]

    @Test(arguments: notFinite) func rejectsNonfiniteValues(row: Row) throws {
        let error = try refusal { try texts(of: row.value, .default) }
        #expect(error.detail == "the value at v is not a finite number, which a form can't represent")
        let formatter = DateFormatter()
        let encodings: [Encoder.DateEncoding] = [
            .secondsSince1970, .millisecondsSince1970, .iso8601, .formatted(formatter),
        ]
        for encoding in encodings where row.value is Date {
            #expect(try refusal { try texts(of: row.value, Encoder(dateEncoding: encoding)) }.code == error.code)
        }
    }

    /// Parity: AF-form-bool-numeric, AF-form-bool-literal
    @Test(arguments: [(Encoder.BoolEncoding.numeric, ["1", "0"]), (.literal, ["true", "false"])])
    func encodesBooleans(encoding: Encoder.BoolEncoding, expected: [String]) throws {
        let encoder = Encoder(boolEncoding: encoding)
        #expect(try Set(texts(of: true, encoder)) == [expected[0]])
        #expect(try Set(texts(of: false, encoder)) == [expected[1]])
    }

    /// Parity: AF-form-data-base64, AF-form-data-deferred, AF-form-data-custom
    @Test func encodesData() throws {
        let data = Data([0xFB, 0xFF, 0])
        #expect(try Set(texts(of: data, Encoder())) == ["%2B/8A"])
        #expect(try Set(texts(of: data, Encoder(dataEncoding: .custom { "\($0.count)" }))) == ["3"])
        let deferred = Encoder(arrayEncoding: .noBrackets, dataEncoding: .deferredToData)
        #expect(try deferred.encode(["v": data]) as String == "v=251&v=255&v=0")
        #expect(try Encoder().encode(["v": Data()]) as String == "v=")
        let error = try refusal {
            try texts(of: data, Encoder(dataEncoding: .custom { _ in throw Fault() }))
        }
        #expect(error.underlying is Fault)
        #expect(error.detail == "encoding the value at v threw Fault()")
    }

    static let formatter: DateFormatter = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy/MM/dd HH:mm"
        return formatter
    }()

    /// Parity: AF-form-date-deferred, AF-form-date-seconds, AF-form-date-milliseconds, AF-form-date-iso8601
    /// Parity: AF-form-date-formatted, AF-form-date-custom
    @Test(arguments: [
        (Encoder.DateEncoding.deferredToDate, "123.456"), (.secondsSince1970, "978307323.456"),
        (.millisecondsSince1970, "978307323456.0"), (.iso8601, "2001-01-01T00%3A02%3A03Z"),
        (.formatted(formatter), "2001/01/01%2000%3A02"),
        (.custom { "\($0.timeIntervalSinceReferenceDate * 2)" }, "246.912"),
    ])
    func encodesDates(encoding: Encoder.DateEncoding, expected: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: 123.456)
        #expect(try Set(texts(of: date, Encoder(dateEncoding: encoding))) == [expected])
    }

    @Test func keepsErrorsOfADateEncoding() throws {
        let encoder = Encoder(dateEncoding: .custom { _ in throw Fault() })
        #expect(try refusal { try texts(of: Date.distantPast, encoder) }.underlying is Fault)
    }

    @Test(arguments: [
        (-11_644_473_600.0, "1601-01-01T00%3A00%3A00Z"), (253_402_300_799.0, "9999-12-31T23%3A59%3A59Z"),
        (-62_135_596_801.0, nil), (253_402_300_800.0, nil), (1e300, nil),
    ])
    func writesOnlyFourDigitYearsAsISO8601(seconds: Double, expected: String?) throws {
        let encoder = Encoder(dateEncoding: .iso8601)
        let value = ["d": Date(timeIntervalSince1970: seconds)]
        if let expected {
            #expect(try encoder.encode(value) as String == "d=\(expected)")
        } else {
            #expect(
                try refusal { try encoder.encode(value) as String }.detail.contains("outside the years 1 to 9999")
            )
        }
    }

    /// Parity: AF-form-nil-drop-key, AF-form-nil-drop-value, AF-form-nil-null, AF-form-nil-custom
    /// Parity: AF-form-nil-if-present
    @Test(arguments: [
        (Encoder.NilEncoding.dropKey, nil), (.dropValue, "="), (.null, "=null"), (.keyAlone, ""),
        (Encoder.NilEncoding { "no ne" }, "=no%20ne"), (Encoder.NilEncoding { nil }, nil),
    ])
    func encodesNil(encoding: Encoder.NilEncoding, suffix: String?) throws {
        let encoder = Encoder(alphabetizeKeyValuePairs: false, arrayEncoding: .noBrackets, nilEncoding: encoding)
        func expected(_ names: [String]) -> String {
            suffix.map { suffix in names.map { $0 + suffix }.joined(separator: "&") } ?? ""
        }
        #expect(try encoder.encode(Optionals()) as String == expected(Optionals.names))
        #expect(try encoder.encode(["a": String?.none]) as String == expected(["a"]))
        #expect(try encoder.encode(["a": ["b": [Int?.none, nil]]]) as String == expected(["a%5Bb%5D", "a%5Bb%5D"]))
        let explicit = Encoding { encoder in
            var keyed = encoder.container(keyedBy: AnyKey.self)
            try keyed.encodeNil(forKey: AnyKey("k"))
            var unkeyed = keyed.nestedUnkeyedContainer(forKey: AnyKey("u"))
            try unkeyed.encodeNil()
            try keyed.encode(Encoding { try Int?.none.encode(to: $0) }, forKey: AnyKey("s"))
        }
        #expect(try encoder.encode(explicit) as String == expected(["k", "u", "s"]))
    }

    @Test func doesNotNumberDroppedElements() throws {
        let encoder = Encoder(arrayEncoding: .indexInBrackets)
        #expect(try encoder.encode(["a": [1, nil, 3]]) as String == "a%5B0%5D=1&a%5B1%5D=3")
    }

    @Test func writesPresentOptionals() throws {
        let value = Optionals(
            bool: true,
            string: "s",
            double: 1,
            float: 2,
            int: 3,
            int8: 4,
            int16: 5,
            int32: 6,
            int64: 7,
            int128: 8,
            uint: 9,
            uint8: 10,
            uint16: 11,
            uint32: 12,
            uint64: 13,
            uint128: 14,
            date: Date(timeIntervalSinceReferenceDate: 15),
            list: [16]
        )
        let texts = [
            "1", "s", "1.0", "2.0", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15.0", "16",
        ]
        let expected = zip(Optionals.names, texts).map { "\($0)=\($1)" }.joined(separator: "&")
        let encoder = Encoder(alphabetizeKeyValuePairs: false, arrayEncoding: .noBrackets)
        #expect(try encoder.encode(value) as String == expected)
    }

    /// Parity: AF-form-space-percent, AF-form-space-plus
    @Test(arguments: [
        (Encoder.SpaceEncoding.percentEscaped, "%20a%20b%2B=%20c%20%2520"), (.plusReplaced, "+a+b%2B=+c+%2520"),
    ])
    func encodesSpaces(encoding: Encoder.SpaceEncoding, expected: String) throws {
        #expect(try Encoder(spaceEncoding: encoding).encode([" a b+": " c %20"]) as String == expected)
    }
}
