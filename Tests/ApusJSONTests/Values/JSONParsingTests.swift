internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusJSON

@Suite(.timeLimit(.minutes(5))) struct JSONParsingTests {
    private func parse(_ bytes: [UInt8]) throws -> JSONValue { try JSONValue(parsing: Data(bytes)) }

    static let texts: [(String, JSONValue)] = [
        ("null", nil), (" true\n", true), ("false", false), ("-12", -12), ("1.5e1", 15), (#""""#, ""), ("[]", []),
        ("{}", [:]), ("[[],{},[{}]]", [[], [:], [[:]]]), (#"{"":""}"#, ["": ""]),
        (#"{"b":[1,{"c":null}],"a":"x"}"#, ["b": [1, ["c": nil]], "a": "x"]),
        ("\t[ 1 ,\r\n2 ] ", [1, 2]),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9\u65e5""#, "Aéé日"),
        (#""\ud83d\ude80x\u0000""#, "🚀x\u{0}"), ("\"é日🚀\u{7F}\"", "é日🚀\u{7F}"), ("\"a\u{301}\"", "a\u{301}"),
        (#""é\n""#, "é\n"), (#""\\u0041""#, "\\u0041"), (#"{"\u0061":1}"#, ["a": 1]),
    ]

    @Test(arguments: texts)
    func readsJSON(text: String, expected: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == expected)
    }

    @Test func keepsTheOrderOfNamesAndTheFirstOfDuplicates() throws {
        let value = try JSONValue(parsing: #"{"z":1,"a":2,"z":3,"m":{}}"#)
        #expect(value.object?.keys == ["z", "a", "m"])
        #expect(value["z"] == 1)
    }

    @Test func acceptsAByteOrderMark() throws {
        #expect(try parse([0xEF, 0xBB, 0xBF] + Array("[1]".utf8)) == [1])
        for bytes in [[0xEF, 0xBB], [0xEF, 0xBB, 0xBF], [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x31]] as [[UInt8]] {
            #expect(throws: ApusError.self) { try parse(bytes) }
        }
    }

    @Test func readsASliceOfData() throws {
        let data = Data("xx[7]yy".utf8)
        #expect(try JSONValue(parsing: data[2..<5]) == [7])
    }

    static let faults: [(String, Int, Int, Int, String)] = [
        ("", 0, 1, 1, "a value is missing"), ("[1, x]", 4, 1, 5, "a value is missing"),
        ("{\n  \"a\": 1,\n  \"é\": tru\n}", 20, 3, 8, "a value is missing"),
        ("[1\n", 3, 2, 1, "ends before its brackets"), (#"["\ud800"]"#, 2, 1, 3, "half of a surrogate pair"),
        (#"["ab\udc00\ud800"]"#, 4, 1, 5, "half of a surrogate pair"),
        (#"["\ud800\u0041"]"#, 2, 1, 3, "half of a surrogate pair"), ("[\"a\nb\"]", 3, 1, 4, "control character"),
        ("[1] 2", 4, 1, 5, "text after the end"),
    ]

    @Test(arguments: faults)
    func reportsErrorsWithTheirPosition(text: String, byte: Int, line: Int, column: Int, reason: String) {
        let error = #expect(throws: ApusError.self) { try JSONValue(parsing: text) }
        #expect(error?.code == .decodingFailed)
        let detail = error?.detail ?? ""
        #expect(
            detail.contains(reason) && detail.hasSuffix("at byte \(byte), line \(line), column \(column)"),
            "\(detail)"
        )
    }

    static let notUTF8: [[UInt8]] = [
        [0x80], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
        [0xE2, 0x82], [0xFE], [0xFF], [0x61, 0xE9, 0x62],
    ]

    @Test(arguments: notUTF8)
    func rejectsInvalidUTF8(bytes: [UInt8]) {
        for text in [[0x22] + bytes + [0x22], Array("[\"\\n".utf8) + bytes + Array("\"]".utf8), bytes] {
            #expect(throws: ApusError.self) { try parse(text) }
        }
        #expect(throws: ApusError.self) { try parse(Array("{\"".utf8) + bytes + Array("\":1}".utf8)) }
    }

    @Test func rejectsUTF16() {
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf16, .utf32] {
            #expect(throws: ApusError.self) { try JSONValue(parsing: "[1]".data(using: encoding) ?? Data()) }
        }
    }

    // MARK: Duplicate names

    private struct User: Decodable, Equatable {
        var role: String
        var name: String?
    }

    private static let duplicates = [
        #"{"role":"user","role":"admin"}"#, #"{"role":"user","r\u006fle":"admin","name":null}"#,
        #"{"name":"x","role":"user","name":"y","role":"admin"}"#,
        "{\"role\":\"user\",\((0..<60).map { "\"n\($0)\":\($0)," }.joined())\"role\":\"admin\"}",
    ]

    /// All decoders agree, since a program may validate with one and use the value of another.
    @Test(arguments: duplicates) func usesTheFirstOfTwoValuesEverywhere(text: String) throws {
        let data = Data(text.utf8)
        #expect(try JSONDecoder().decode(User.self, from: data).role == "user")
        #expect(try JSONContentDecoder().decode(User.self, from: data).role == "user")
        #expect(try JSONContentDecoder().decode([String: JSONValue].self, from: data)["role"] == "user")
        let parsed = try JSONValue(parsing: data)
        #expect(parsed["role"] == "user")
        #expect(try JSONContentDecoder().decode(JSONValue.self, from: data) == parsed)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == parsed)
        #expect(parsed.object?.keys.count { $0 == "role" } == 1)
    }

    @Test(arguments: duplicates) func rejectsDuplicateNamesIfConfigured(text: String) throws {
        for text in [text, "[1,{\"a\":\(text)}]"] {
            let error = #expect(throws: ApusError.self) { try JSONValue(parsing: text, refusesDuplicateNames: true) }
            #expect(error?.code == .decodingFailed)
            #expect(error?.detail.contains("' twice") == true, "\(error?.detail ?? "")")
            let strict = JSONContentDecoder(keyDecodingStrategy: .convertFromSnakeCase, refusesDuplicateNames: true)
            let refused = #expect(throws: DecodingError.self) {
                try strict.decode(JSONValue.self, from: Data(text.utf8))
            }
            guard case .dataCorrupted(let context)? = refused else { continue }
            #expect(context.codingPath.map(\.stringValue) == (text.hasPrefix("[") ? ["Index 1", "a"] : []))
            #expect(context.debugDescription.contains("' twice"))
        }
        let request = try RequestMessage("http://h/")
        let serializer = JSONResponseSerializer(refusesDuplicateNames: true)
        #expect(throws: ApusError.self) {
            try serializer.serialize(request: request, response: HTTPResponse(status: .ok), data: Data(text.utf8))
        }
    }

    @Test func rejectsOnlyDuplicateNames() throws {
        let text = #"{"a":1,"A":2,"b":{"a":1},"c":[{"a":1},{"a":2}]}"#
        #expect(try JSONValue(parsing: text, refusesDuplicateNames: true) == JSONValue(parsing: text))
        let strict = JSONContentDecoder(refusesDuplicateNames: true)
        #expect(try strict.decode(JSONValue.self, from: Data(text.utf8)) == JSONValue(parsing: text))
    }

    @Test func showsOnlyTheBeginningOfAName() {
        let name = "\\u001b\(String(repeating: "n", count: 100_000))"
        let text = "{\"\(name)\":1,\"\(name)\":2}"
        let error = #expect(throws: ApusError.self) { try JSONValue(parsing: text, refusesDuplicateNames: true) }
        #expect(error.map { $0.detail.contains("'\\u{1B}nn") && $0.detail.utf8.count < 200 } == true)
    }

    // MARK: Depth

    private func nested(_ depth: Int) -> [String] {
        [
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth),
            String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth),
            String(repeating: "[{\"a\":", count: depth / 2) + String(repeating: "[", count: depth % 2)
                + String(repeating: "]", count: depth % 2) + (depth % 2 == 0 ? "1" : "")
                + String(repeating: "}]", count: depth / 2),
        ]
    }

    @Test func limitsTheDepth() throws {
        for text in nested(512) { #expect(try JSONValue(parsing: text).jsonText() == text) }
        for text in nested(513) {
            let error = #expect(throws: ApusError.self) { try JSONValue(parsing: text) }
            #expect(error?.detail.contains("nested more than 512 levels deep") == true)
        }
        for text in nested(3) {
            #expect(throws: Never.self) { try JSONValue(parsing: text, depthLimit: 3) }
            #expect(throws: ApusError.self) { try JSONValue(parsing: text, depthLimit: 2) }
        }
        #expect(try JSONValue(parsing: "1", depthLimit: 0) == 1)
        #expect(throws: ApusError.self) { try JSONValue(parsing: "[]", depthLimit: -1) }
    }

    @Test func rejectsEndlessNesting() {
        for opening in ["[", "{\"a\":", "[{\"a\":"] {
            #expect(throws: ApusError.self) { try JSONValue(parsing: String(repeating: opening, count: 1_000_000)) }
        }
    }

    // MARK: Size

    /// Parsing takes linear time. With a quadratic step, these texts would exceed the time limit.
    @Test(arguments: [
        "[" + String(repeating: "0,", count: 60_000) + "0]",
        "{" + (0..<20_000).map { "\"n\($0)\":0" }.joined(separator: ",") + "}",
        "{" + String(repeating: "\"same\":0,", count: 50_000) + "\"same\":1}",
        "\"" + String(repeating: "\\u00e9", count: 50_000) + "\"",
        String(repeating: " ", count: 200_000) + "0", String(repeating: "1", count: 50_000),
        "0." + String(repeating: "0", count: 50_000) + "1", "1e" + String(repeating: "9", count: 50_000),
        "[" + String(repeating: "{\"a\":[]},", count: 20_000) + "0]",
    ])
    func readsLongTexts(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(try JSONValue(parsing: value.jsonText()) == value)
    }

    // MARK: Random input

    /// Random texts of JSON's characters, and valid texts with one byte changed: each gives a value or an error, and
    /// each value survives a round trip.
    @Test func survivesAnyBytes() throws {
        let letters = Array(#"{}[]",:\u0d8e1-.tfn null true"#.utf8) + [0x00, 0x80, 0xC3, 0xA9, 0xFF]
        let good = Array(#"{"a":[1,-2.5e3,"é\u00e9\ud83d\ude80"],"b":{"c":null,"d":[true,false]},"e":"x\ny"}"#.utf8)
        var state: UInt64 = 5
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var parsed = 0
        for round in 0..<20_000 {
            var bytes = good
            if round.isMultiple(of: 2) {
                bytes = (0..<random(14)).map { _ in letters[random(letters.count)] }
            } else {
                bytes[random(good.count)] = UInt8(random(256))
            }
            guard let value = try? parse(bytes) else { continue }
            parsed += 1
            #expect(try JSONValue(parsing: value.jsonText()) == value, "\(bytes)")
        }
        #expect(parsed > 300)
    }

    /// Foundation's parser is more lenient, but reads the same values from valid texts.
    @Test func agreesWithFoundation() throws {
        for (text, expected) in Self.texts {
            #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == expected, "\(text)")
        }
    }
}
