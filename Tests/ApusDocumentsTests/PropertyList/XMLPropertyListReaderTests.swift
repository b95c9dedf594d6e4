internal import ApusCore
internal import ApusDocuments
internal import Foundation
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct XMLPropertyListReaderTests {
    private func value(_ content: String, limits: PropertyListLimits = PropertyListLimits()) throws -> PropertyListValue
    {
        try PropertyListValue(Data("<?xml version='1.0'?><plist version='1.0'>\(content)</plist>".utf8), limits: limits)
    }

    private func complaint(_ content: String, limits: PropertyListLimits = PropertyListLimits()) throws -> String {
        let error = #expect(throws: ApusError.self, "\(content)") { try value(content, limits: limits) }
        #expect(error?.code == .decodingFailed)
        return try #require(error).detail
    }

    static let values: [(String, PropertyListValue)] = [
        ("<string>a &lt; b<![CDATA[<c>]]><!-- d -->e</string>", "a < b<c>e"), ("<string/>", ""),
        ("<string> \n</string>", " \n"), ("<string>a\r\nb&#13;</string>", "a\r\nb\r"),
        ("<integer>5</integer>", 5), ("<integer> -5\n</integer>", -5), ("<integer>+5</integer>", 5),
        ("<integer>0x1F</integer>", 31), ("<integer>-0x1f</integer>", -31),
        ("<integer>18446744073709551615</integer>", .integer(Int128(UInt64.max))),
        ("<integer>-9223372036854775808</integer>", .integer(Int128(Int64.min))),
        ("<real>1.5</real>", 1.5), ("<real>1e3</real>", 1000.0), ("<real>-inf</real>", .real(-.infinity)),
        ("<real>+infinity</real>", .real(.infinity)), ("<true/>", true), ("<false></false>", false),
        ("<true> </true>", true),
        ("<date>2001-01-01T00:00:00Z</date>", .date(Date(timeIntervalSinceReferenceDate: 0))),
        ("<date>1970-01-01T00:00:00Z</date>", .date(Date(timeIntervalSince1970: 0))),
        ("<date>2024-02-29T23:59:59Z</date>", .date(Date(timeIntervalSince1970: 1_709_251_199))),
        ("<data>AQI=</data>", .data(Data([1, 2]))), ("<data>\n\tAQ\n\tI=\n</data>", .data(Data([1, 2]))),
        ("<data/>", .data(Data())), ("<array/>", []), ("<dict/>", [:]),
        ("<array> <integer>1</integer> <!-- x --> <array><true/></array> </array>", [1, [true]]),
        (
            "<dict><key>a</key><string>b</string> <key/><dict><key>c</key><true/></dict></dict>",
            ["a": "b", "": ["c": true]]
        ),
        ("<dict><key>CF$UID</key><integer>3</integer></dict>", ["CF$UID": 3]),
    ]

    @Test(arguments: values)
    func readsEveryKindOfValue(content: String, expected: PropertyListValue) throws {
        #expect(try value(content) == expected)
    }

    @Test func acceptsAListWithoutItsEnvelope() throws {
        #expect(try PropertyListValue(Data(" <dict><key>a</key><true/></dict>".utf8)) == ["a": true])
        #expect(try PropertyListValue(Data("<!DOCTYPE plist><plist><true/></plist><!-- -->".utf8)) == true)
        let utf16 = try #require("<?xml version='1.0'?><plist><string>ü</string></plist>".data(using: .utf16))
        #expect(try PropertyListValue(utf16) == "ü")
    }

    @Test func readsTheOutputOfFoundation() throws {
        let list: [String: Any] = [
            "array": [1, 2.5, true, "x < y", Data([1])] as [Any], "date": Date(timeIntervalSinceReferenceDate: 5),
            "large": NSNumber(value: UInt64.max), "lines": "a\r\nb\tc",
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        let expected: PropertyListValue = [
            "array": [1, 2.5, true, "x < y", .data(Data([1]))], "date": .date(Date(timeIntervalSinceReferenceDate: 5)),
            "large": .integer(Int128(UInt64.max)), "lines": "a\r\nb\tc",
        ]
        #expect(try PropertyListValue(data) == expected)
    }

    static let wrong: [(String, String)] = [
        ("", "it is empty"), ("<true/><true/>", "more than one value"),
        ("text", "text where a value is expected"),
        ("<array>text</array>", "text where a value is expected"), ("<html/>", "a property list has no element 'html'"),
        ("<key>a</key>", "no element 'key'"), ("<array><key>a</key></array>", "no element 'key'"),
        ("<dict><string>a</string></dict>", "there is a 'string' where a key is expected"),
        ("<dict><key>a</key></dict>", "the key 'a' has no value"),
        ("<dict><key>a</key><key>b</key></dict>", "no element 'key'"),
        ("<dict><key>a</key><true/><key>a</key><true/></dict>", "the key 'a' occurs twice"),
        (
            "<dict><key>e\u{301}</key><true/><key>\u{E9}</key><true/></dict>",
            "the key '\u{E9}' occurs twice in two forms"
        ),
        ("<string><b/></string>", "an element where text is expected"),
        ("<true>1</true>", "text where a value is expected"),
        ("<true><true/></true>", "the element 'true' is not empty"),
        ("<integer/>", "a number is invalid"), ("<integer>1.5</integer>", "a number is invalid"),
        ("<integer>--5</integer>", "a number is invalid"), ("<integer>-+5</integer>", "a number is invalid"),
        ("<integer>0x</integer>", "a number is invalid"), ("<integer>0x-5</integer>", "a number is invalid"),
        ("<integer>18446744073709551616</integer>", "a number is invalid"),
        ("<integer>٣</integer>", "a number is invalid"),
        ("<real>one</real>", "a number is invalid"), ("<real/>", "a number is invalid"),
        ("<date>2001-01-01</date>", "a date is invalid"), ("<date>2001-02-29T00:00:00Z</date>", "a date is invalid"),
        ("<date>2001-13-01T00:00:00Z</date>", "a date is invalid"),
        ("<date>2001-01-01T24:00:00Z</date>", "a date is invalid"),
        ("<date>99999999999999999999-01-01T00:00:00Z</date>", "a date is invalid"), ("<date/>", "a date is invalid"),
        ("<data>AQI</data>", "data is not valid Base64"), ("<data>!!!!</data>", "data is not valid Base64"),
        ("<array>", "the element 'array' is closed by an end tag of 'plist'"),
        ("<string>&x;</string>", "the entity 'x' is unknown"),
    ]

    @Test(arguments: wrong)
    func reportsTheErrorAndItsPosition(content: String, expected: String) throws {
        let complaint = try complaint(content)
        #expect(complaint.contains(expected), "\(complaint)")
        #expect(complaint.contains("line 1, column"))
    }

    @Test func rejectsIncompleteAndTrailingElements() {
        for document in ["<plist><true/></plist><plist/>", "<true/><true/>", "<plist><true/>", "<plist>", "<plist/>"] {
            #expect(throws: ApusError.self) { try PropertyListValue(Data(document.utf8)) }
        }
    }

    // MARK: Limits

    @Test func survivesAHundredThousandLevels() throws {
        let opening = String(repeating: "<array>", count: 100_000)
        #expect(try complaint(opening).contains("exceeds a limit at line 1, column"))
        let whole = opening + String(repeating: "</array>", count: 100_000)
        #expect(try complaint(whole, limits: PropertyListLimits(maximumDepth: .max)).contains("nested deeper than 256"))
        let deep = String(repeating: "<array>", count: 256) + String(repeating: "</array>", count: 256)
        _ = try value(deep, limits: PropertyListLimits(maximumDepth: .max))
    }

    @Test func enforcesItsLimits() throws {
        let limits = PropertyListLimits(maximumDepth: 2, maximumValues: 4)
        let four = "<array><true/><dict><key>a</key></dict></array>"
        _ = try value(four.replacing("<key>a</key>", with: ""), limits: limits)
        #expect(
            try complaint("<array><array><array/></array></array>", limits: limits).contains("nested deeper than 2")
        )
        _ = try value("<array><true/><true/><true/></array>", limits: limits)
        let five = "<array><true/><true/><true/><true/></array>"
        #expect(try complaint(five, limits: limits).contains("more than 4 values"))
        let text = "<string>\(String(repeating: "x", count: 200))</string>"
        #expect(try complaint(text, limits: PropertyListLimits(maximumBytes: 200)).contains("maximumBytes"))
    }

    @Test func rejectsEntityDeclarations() {
        let list = "<!DOCTYPE plist [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><plist><string>&x;</string></plist>"
        let error = #expect(throws: ApusError.self) { try PropertyListValue(Data(list.utf8)) }
        #expect(error?.detail.contains("entities are declared") == true)
    }

    // MARK: Random input

    @Test(arguments: [1, 2, 3])
    func survivesMutatedInput(seed: UInt64) throws {
        let list: PropertyListValue = [
            "a": [1, 2.5, true, "x", "ü€😀", .data(Data([1, 2, 3])), .date(Date(timeIntervalSinceReferenceDate: 1))],
            "d": ["e": ["f": [1, 1]]],
        ]
        var mutator = Mutator(
            seed: seed,
            originals: [try list.data()],
            tokens: [
                "<dict>", "</dict>", "<array>", "<key>", "<true/>", "<integer>-1</integer>", "<real>1e999</real>",
                "&#0;",
                "<date>9999999-01-01T00:00:00Z</date>", "-", "9",
            ]
        )
        for _ in 0..<1_000 {
            do {
                let value = try PropertyListValue(mutator.next(), formats: [.xml])
                #expect(try PropertyListValue(value.data()) == value)
            } catch {
                #expect(error.code == .decodingFailed)
            }
        }
    }
}
