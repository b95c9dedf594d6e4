internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite struct URLEncodedFormEncoderKeysTests {
    typealias Encoder = URLEncodedFormEncoder

    private func form(_ value: some Encodable, _ encoder: Encoder) throws -> String {
        let form: String = try encoder.encode(value)
        return form.replacing("%5B", with: "[").replacing("%5D", with: "]")
    }

    /// Parity: AF-form-array-brackets, AF-form-array-no-brackets, AF-form-array-index, AF-form-array-custom
    @Test(arguments: [
        (Encoder.ArrayEncoding.brackets, "a[]=1&a[]=2&b[c][][d]=3"),
        (.noBrackets, "a=1&a=2&b[c][d]=3"),
        (.indexInBrackets, "a[0]=1&a[1]=2&b[c][0][d]=3"),
        (.custom { "\($0)(\($1))" }, "a%280%29=1&a%281%29=2&b[c]%280%29[d]=3"),
    ])
    func encodesArrays(encoding: Encoder.ArrayEncoding, expected: String) throws {
        let value: Parameters = ["a": [1, 2], "b": ["c": [["d": 3]]]]
        #expect(try form(value, Encoder(arrayEncoding: encoding)) == expected)
    }

    @Test func encodesArraysOfArrays() throws {
        let value = ["a": [[1, 2], [], [3]]]
        #expect(try form(value, Encoder()) == "a[][]=1&a[][]=2&a[][]=3")
        #expect(try form(value, Encoder(arrayEncoding: .indexInBrackets)) == "a[0][0]=1&a[0][1]=2&a[1][0]=3")
        let custom = Encoder.ArrayEncoding.custom { "\($0)-\($1)" }
        #expect(try form(value, Encoder(arrayEncoding: custom)) == "a-0-0=1&a-0-1=2&a-1-0=3")
    }

    /// Parity: AF-form-path-brackets, AF-form-path-dots, AF-form-path-custom
    @Test(arguments: [
        (Encoder.KeyPathEncoding.brackets, "a[b][c]=1&a[d][][e]=2"),
        (.dots, "a.b.c=1&a.d[].e=2"),
        (Encoder.KeyPathEncoding { "/\($0.uppercased())" }, "a/B/C=1&a/D[]/E=2"),
    ])
    func encodesPaths(encoding: Encoder.KeyPathEncoding, expected: String) throws {
        let value: Parameters = ["a": ["b": ["c": 1], "d": [["e": 2]]]]
        #expect(try form(value, Encoder(keyPathEncoding: encoding)) == expected)
    }

    /// Parity: AF-form-key-default, AF-form-key-snake, AF-form-key-kebab, AF-form-key-capitalized, AF-form-key-upper
    /// Parity: AF-form-key-lower, AF-form-key-custom
    @Test(arguments: [
        (Encoder.KeyEncoding.useDefaultKeys, "oneTwo[threeFour]=1"),
        (.convertToSnakeCase, "one_two[three_four]=1"),
        (.convertToKebabCase, "one-two[three-four]=1"),
        (.capitalized, "OneTwo[threeFour]=1"),
        (.uppercased, "ONETWO[THREEFOUR]=1"),
        (.lowercased, "onetwo[threefour]=1"),
        (.custom { $0.replacing("[", with: "<") }, "oneTwo%3CthreeFour]=1"),
    ])
    func encodesKeys(encoding: Encoder.KeyEncoding, expected: String) throws {
        #expect(try form(["oneTwo": ["threeFour": 1]], Encoder(keyEncoding: encoding)) == expected)
    }

    static let camels = [
        "", "a", "A", "aB", "oneTwoThree", "URL", "URLString", "myURLProperty", "isHTTP2Enabled", "a2B", "aB1c",
        "_oneTwoThree_", "__aB", "ABC", "aBCd", "userID", "x1Y2z3", "éÉa", "ǅabc", "aǅb", "İx", "aİ", "日本Go", "a b",
        "aΣ", "ÀÉa", "e\u{301}E\u{301}e", "one-Two", "🦅Aa",
    ]

    /// Parity: AF-form-key-snake
    @Test(arguments: camels) func convertsToSnakeCaseLikeJSONEncoder(key: String) throws {
        let json = JSONEncoder()
        json.keyEncodingStrategy = .convertToSnakeCase
        let object = Encoding { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(1, forKey: AnyKey(key))
        }
        let snake = try #require(JSONDecoder().decode([String: Int].self, from: json.encode(object)).keys.first)
        let escapesNothing = Encoder(keyEncoding: .convertToSnakeCase)
        let form: String = try escapesNothing.encode(object)
        #expect(form.dropLast(2).removingPercentEncoding == snake)
    }

    @Test func beginsAWordWithEachKeyOfAPath() throws {
        let value = ["aB": ["CdEf": ["G": 1]]]
        #expect(try form(value, Encoder(keyEncoding: .convertToSnakeCase)) == "a_b[cd_ef][g]=1")
        let dots = Encoder(keyEncoding: .convertToKebabCase, keyPathEncoding: .dots)
        #expect(try form(value, dots) == "a-b.cd-ef.g=1")
    }

    @Test func sortsByTheEncodedKeys() throws {
        let value = ["B": 1, "a": 2, "C": 3]
        #expect(try form(value, Encoder()) == "B=1&C=3&a=2")
        #expect(try form(value, Encoder(keyEncoding: .lowercased)) == "a=2&b=1&c=3")
        #expect(try form(["x": value], Encoder(keyEncoding: .lowercased)) == "x[a]=2&x[b]=1&x[c]=3")
    }

    @Test func keepsKeysWithTheSameEncoding() throws {
        let encoder = Encoder(keyEncoding: .custom { _ in "A" })
        for _ in 0..<10 { #expect(try form(["a": 1, "b": 2, "c": 3], encoder) == "A=1&A=2&A=3") }
    }

    @Test func keepsTheEncodingOrderWithConvertedKeys() throws {
        struct Record: Encodable {
            var zA = 1
            var bB = 2
            var aC = [3]
        }
        let encoder = Encoder(alphabetizeKeyValuePairs: false, keyEncoding: .convertToSnakeCase)
        #expect(try form(Record(), encoder) == "z_a=1&b_b=2&a_c[]=3")
    }
}
