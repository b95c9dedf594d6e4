internal import ApusCore
internal import ApusDocuments
internal import ApusTestServer
internal import Foundation
internal import Testing

@Suite struct PropertyListValueTests {
    private let value: PropertyListValue = [
        "name": "Ada", "ports": [80, 443], "ratio": 0.5, "is on": true, "key": .data(Data([1, 2])),
        "since": .date(Date(timeIntervalSinceReferenceDate: 100)),
    ]

    @Test func returnsItsValues() {
        #expect(value["name"]?.string == "Ada")
        #expect(value["ports"]?[1]?.integer == 443)
        #expect(value["ports"]?.array?.count == 2)
        #expect(value["ratio"]?.number == 0.5)
        #expect(value["ports"]?[0]?.number == 80)
        #expect(value["is on"]?.boolean == true)
        #expect(value["key"]?.data == Data([1, 2]))
        #expect(value["since"]?.date == Date(timeIntervalSinceReferenceDate: 100))
        #expect(value.dictionary?.count == 6)
    }

    @Test func returnsNilForOtherTypesAndNames() {
        #expect(value["nobody"] == nil)
        #expect(value[0] == nil)
        #expect(value["ports"]?[2] == nil)
        #expect(value["ports"]?[-1] == nil)
        #expect(value["name"]?.integer == nil)
        #expect(value["name"]?["x"] == nil)
        #expect(value.string == nil)
        #expect(value["is on"]?.number == nil)
        #expect(PropertyListValue.integer(Int128(UInt64.max)).integer == nil)
        #expect(PropertyListValue.boolean(true) != 1)
        #expect(PropertyListValue.real(1) != 1)
    }

    @Test func keepsTheLastOfTwoNamesInALiteral() {
        #expect(["a": 1, "a": 2] as PropertyListValue == ["a": 2])
    }

    // MARK: Formats

    static let formats: [([UInt8], PropertyListFormat?)] = [
        (Array("bplist00".utf8), .binary), (Array("<?xml".utf8), .xml), (Array("\n <plist>".utf8), .xml),
        (Array("\u{FEFF}<!DOCTYPE".utf8), .xml), ([0xFF, 0xFE, 0x3C, 0, 0x3F, 0], .xml), (Array("<dict/>".utf8), .xml),
        (Array("{a=b;}".utf8), nil), (Array("<0fbd>".utf8), nil), (Array("<html>".utf8), nil),
        ([], nil), (Array("(a)".utf8), nil), ([0, 1, 2], nil),
    ]

    @Test(arguments: formats)
    func detectsTheFormatByTheFirstBytes(bytes: [UInt8], format: PropertyListFormat?) {
        #expect(PropertyListFormat(of: Data(bytes)) == format)
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func readsItsOwnOutput(format: PropertyListFormat) throws {
        let values: [PropertyListValue] = [
            value, "", "a\r\nb\tc<&>\"'\u{85}", [], [:], [[[]]], .integer(Int128(Int64.min)),
            .integer(Int128(UInt64.max)),
            .real(.infinity), .real(-0.0), 1e300, .real(0.1), ["": ["": ""]], ["CF$UID": 5], .data(Data()),
            .date(.distantPast), .date(.distantFuture), .date(Date(timeIntervalSinceReferenceDate: -1)), "é",
            "e\u{301}",
        ]
        for value in values {
            let data = try value.data(format: format)
            #expect(PropertyListFormat(of: data) == format)
            #expect(try PropertyListValue(data) == value)
            #expect(try PropertyListSerialization.propertyList(from: data, format: nil) as? NSObject != nil)
        }
    }

    @Test func writesXMLThatFoundationReads() throws {
        let list = try PropertyListSerialization.propertyList(from: value.data(), format: nil) as? [String: Any]
        #expect(list?["name"] as? String == "Ada")
        #expect(list?["ports"] as? [Int] == [80, 443])
        #expect(list?["key"] as? Data == Data([1, 2]))
        #expect(list?["since"] as? Date == Date(timeIntervalSinceReferenceDate: 100))
        #expect(
            try String(decoding: (["b": 1, "a": [true]] as PropertyListValue).data(), as: UTF8.self) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                \t<key>a</key>
                \t<array>
                \t\t<true/>
                \t</array>
                \t<key>b</key>
                \t<integer>1</integer>
                </dict>
                </plist>

                """
        )
    }

    static let unwritable: [(PropertyListValue, PropertyListFormat)] = [
        ("\u{0}", .xml), ("\u{FFFE}", .xml), (["\u{1B}": 1], .xml), (.integer(Int128(UInt64.max) + 1), .xml),
        (.integer(Int128(UInt64.max) + 1), .binary), ([.integer(Int128(Int64.min) - 1)], .binary),
        (.date(Date(timeIntervalSinceReferenceDate: 1e300)), .xml),
        (.date(Date(timeIntervalSinceReferenceDate: 3.1e16)), .xml),
    ]

    @Test(arguments: unwritable)
    func rejectsValuesThatAFormatCannotHold(value: PropertyListValue, format: PropertyListFormat) {
        let error = #expect(throws: ApusError.self) { try value.data(format: format) }
        #expect(error?.code == .parameterEncodingFailed)
    }

    /// Not among the arguments above, because Foundation can't describe such a date.
    @Test func rejectsANonfiniteDate() {
        let value = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: .nan))
        for format in [PropertyListFormat.xml, .binary] {
            let error = #expect(throws: ApusError.self) { try value.data(format: format) }
            #expect(error?.code == .parameterEncodingFailed)
        }
    }

    @Test func writesCharactersInvalidInXMLInTheBinaryFormat() throws {
        #expect(try PropertyListValue(("\u{0}\u{1B}" as PropertyListValue).data(format: .binary)) == "\u{0}\u{1B}")
    }

    @Test func acceptsOnlyTheGivenFormats() throws {
        let xml = try value.data()
        let error = #expect(throws: ApusError.self) { try PropertyListValue(xml, formats: [.binary]) }
        #expect(error?.detail == "the property list is in none of the accepted formats: binary")
        let page = Data("Service unavailable".utf8)
        let refused = #expect(throws: ApusError.self) { try PropertyListValue(page) }
        #expect(refused?.detail.hasSuffix("the accepted formats: binary, xml") == true)
    }

    // MARK: Custom types

    struct Settings: Codable, Equatable {
        let name: String
        let ports: [Int]
        let since: Date
    }

    @Test func decodesCustomTypes() throws {
        let settings = Settings(name: "Ada", ports: [80, 443], since: Date(timeIntervalSinceReferenceDate: 100))
        #expect(try value.decode(Settings.self) == settings)
        let error = #expect(throws: ApusError.self) { try (["name": 1] as PropertyListValue).decode(Settings.self) }
        #expect(error?.code == .decodingFailed)
        for format in [PropertyListFormat.xml, .binary] {
            let data = try value.data(format: format)
            #expect(try CheckedPropertyListDecoder().decode(Settings.self, from: data) == settings)
        }
    }

    /// `PropertyListDecoder` alone would crash the process.
    @Test func rejectsTooDeepNesting() {
        let deep = String(repeating: "<array>", count: 100_000) + String(repeating: "</array>", count: 100_000)
        let error = #expect(throws: ApusError.self) {
            try CheckedPropertyListDecoder().decode(Settings.self, from: Data("<plist>\(deep)</plist>".utf8))
        }
        #expect(error?.code == .decodingFailed)
    }
}
