internal import Apus
internal import ApusJSON
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite struct JSONContentDecoderTests {
    private struct User: Decodable, Equatable {
        var name: String
        var age: Int?
    }

    /// Stores its decoder, so that a test can read from it later.
    private final class DecoderHolder: Decodable {
        let decoder: any Decoder

        init(from decoder: any Decoder) throws {
            self.decoder = decoder
        }
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type,
        _ text: String,
        _ decoder: JSONContentDecoder = JSONContentDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: Data(text.utf8))
    }

    private func context(_ text: String, _ decoder: JSONContentDecoder = JSONContentDecoder()) -> DecodingError.Context?
    {
        do {
            _ = try decode(JSONValue.self, text, decoder)
            return nil
        } catch DecodingError.dataCorrupted(let context) {
            return context
        } catch {
            return nil
        }
    }

    @Test func decodesAValue() throws {
        #expect(
            try decode([User].self, #"[{"name":"Ada","age":36},{"name":"B"}]"#) == [
                User(name: "Ada", age: 36), User(name: "B"),
            ]
        )
        #expect(try decode(User.self, "\u{FEFF} {\"name\" : \"x\"}\n") == User(name: "x"))
    }

    @Test(arguments: [
        ("", "a value is missing at byte 0, line 1, column 1"),
        ("[1,]", "a value is missing at byte 3, line 1, column 4"),
        ("[1]\n x", "there is text after the end at byte 5, line 2, column 2"),
        (#"{"é":tru}"#, "a value is missing at byte 6, line 1, column 6"),
        (#"{"\ud800":1}"#, "an escape is half of a surrogate pair at byte 2, line 1, column 3"),
    ])
    func reportsWhereTheJSONIsInvalid(text: String, reason: String) {
        #expect(context(text)?.debugDescription == "it is not valid JSON: \(reason)")
        #expect(context(text)?.codingPath.isEmpty == true)
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian])
    func rejectsOtherEncodings(encoding: String.Encoding) throws {
        let data = try #require("[1]".data(using: encoding))
        #expect(throws: DecodingError.self) { try JSONContentDecoder().decode([Int].self, from: data) }
    }

    @Test func rejectsInvalidUTF8() {
        for bytes: [UInt8] in [[0xC3], [0xFF], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
            let string = Data("[\"".utf8) + bytes + Data("\"]".utf8)
            #expect(throws: DecodingError.self) { try JSONContentDecoder().decode([String].self, from: string) }
            let name = Data("{\"".utf8) + bytes + Data("\":1}".utf8)
            #expect(throws: DecodingError.self) { try JSONContentDecoder().decode([String: Int].self, from: name) }
        }
    }

    @Test func limitsTheDepth() throws {
        let decoder = JSONContentDecoder(depthLimit: 3)
        #expect(context("[[[1]]]", decoder) == nil)
        #expect(context("[[[[1]]]]", decoder)?.debugDescription.contains("nested more than 3 levels deep") == true)
        let deep = String(repeating: "[", count: 1_000_000)
        #expect(context(deep)?.debugDescription.contains("nested more than 512 levels deep") == true)
        #expect(context(String(repeating: "[", count: 512) + String(repeating: "]", count: 512)) == nil)
    }

    /// Short objects are searched one member at a time, long ones through a table.
    @Test(arguments: [2, 47, 48, 49, 500])
    func findsMembersOfObjectsOfAnyLength(count: Int) throws {
        let members = (0..<count).map { #""key\#($0)":\#($0)"# } + [#""key1":-1"#, #""n\u00e9e":7"#, #""Å":8"#]
        let text = "{\(members.joined(separator: ","))}"
        let table = try decode([String: Int].self, text)
        #expect(table.count == count + 2)
        #expect(table["key1"] == 1)
        #expect(table["key\(count - 1)"] == count - 1)

        struct Some: Decodable, Equatable {
            var key1: Int
            var born: Int
            var unit: Int
            var missing: Int?

            enum CodingKeys: String, CodingKey {
                case key1, missing
                case born = "n\u{E9}e"
                case unit = "A\u{30A}"
            }
        }
        #expect(try decode(Some.self, text) == Some(key1: 1, born: 7, unit: 8))
    }

    /// Members keep their order in the text.
    @Test func listsNamesInOrder() throws {
        struct Names: Decodable {
            struct Name: CodingKey {
                let stringValue: String
                var intValue: Int? { nil }

                init?(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            let names: [String]

            init(from decoder: any Decoder) throws {
                names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
            }
        }
        let names = (0..<100).map { "n\(($0 * 37) % 100)" }
        for count in [5, 100] {
            let text = "{\(names.prefix(count).map { #""\#($0)":1"# }.joined(separator: ","))}"
            #expect(try decode(Names.self, text).names == Array(names.prefix(count)))
        }
    }

    @Test func canBeUsedAfterDecoding() throws {
        let holders = try decode([DecoderHolder].self, #"[{"name":"Ada Lovelace, Countess"}]"#)
        let user = try User(from: holders[0].decoder)
        #expect(user == User(name: "Ada Lovelace, Countess"))
    }

    @Test func passesOnUserInfo() throws {
        struct Word: Decodable {
            let word: String

            init(from decoder: any Decoder) throws {
                let key = try #require(CodingUserInfoKey(rawValue: "word"))
                word = try #require(decoder.userInfo[key] as? String)
            }
        }
        let key = try #require(CodingUserInfoKey(rawValue: "word"))
        #expect(try decode([Word].self, "[0]", JSONContentDecoder(userInfo: [key: "x"]))[0].word == "x")
    }

    @Test func readsIntegersOfAnyWidthExactly() throws {
        #expect(try decode(Int128.self, "1e38") == 100_000_000_000_000_000_000_000_000_000_000_000_000)
        #expect(try decode(UInt128.self, "340282366920938463463374607431768211455") == .max)
        #expect(try decode(Int.self, "9007199254740993.0") == 9_007_199_254_740_993)
        #expect(throws: DecodingError.self) { try decode(UInt128.self, "1e39") }
        #expect(throws: DecodingError.self) { try decode(Int.self, "1e99999999999999999999") }
    }

    /// The closure is called once for each name at any depth, since the test would not end otherwise. Its path has the
    /// converted names.
    @Test func convertsEachNameOnce() throws {
        struct Node: Decodable {
            let below: [Node]

            enum CodingKeys: String, CodingKey {
                case below = "BELOW"
            }
        }
        let depth = 100
        let text = String(repeating: #"{"below":["#, count: depth) + String(repeating: "]}", count: depth)
        let paths = try decode(
            Node.self,
            text,
            JSONContentDecoder(
                keyDecodingStrategy: .custom { path in
                    #expect(path.dropLast().allSatisfy { $0.intValue != nil || $0.stringValue == "BELOW" })
                    return JSONContentDecoderParityTests.JSONPathKey(path.last?.stringValue.uppercased() ?? "")
                }
            )
        )
        #expect(paths.below.count == 1)
    }
}
