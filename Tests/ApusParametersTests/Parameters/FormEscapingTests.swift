internal import Apus
internal import Foundation
internal import Testing

@Suite struct FormEscapingTests {
    private func escaped(_ text: String, _ encoder: URLEncodedFormEncoder = .default) throws -> String {
        let form: String = try encoder.encode([text: text])
        let halves = form.split(separator: "=", omittingEmptySubsequences: false)
        try #require(halves.count == 2)
        #expect(halves[0] == halves[1])
        return String(halves[0])
    }

    /// Parity: AF-form-escapes
    @Test func escapesNeitherUnreservedCharactersNorSlashAndQuestionMark() throws {
        let allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~?/"
        for code in UInt8(0)..<128 {
            let character = String(UnicodeScalar(code))
            let hexadecimal = String(code, radix: 16, uppercase: true)
            let escape = "%" + (code < 16 ? "0" : "") + hexadecimal
            #expect(try escaped(character) == (allowed.contains(character) ? character : escape))
        }
    }

    /// Parity: AF-form-escapes
    @Test(arguments: [
        ("a\0b", "a%00b"), ("\r\n", "%0D%0A"), ("%41", "%2541"), ("+&=#", "%2B%26%3D%23"),
        ("\"'<>\\", "%22%27%3C%3E%5C"),
        ("🦅", "%F0%9F%A6%85"), ("👩‍👩‍👧", "%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"), ("e\u{301}", "e%CC%81"),
        ("é", "%C3%A9"), ("\u{202E}x", "%E2%80%AEx"), ("\u{FFFD}\u{10FFFF}", "%EF%BF%BD%F4%8F%BF%BF"),
        ("ﬀ", "%EF%AC%80"),
        ("a b", "a%20b"), ("", ""), ("&a=b&c", "%26a%3Db%26c"),
    ])
    func escapesByBytes(text: String, expected: String) throws {
        #expect(try escaped(text) == expected)
        #expect(expected.removingPercentEncoding == text)
    }

    /// Parity: AF-form-allowed-characters
    @Test func acceptsCustomAllowedCharacters() throws {
        var encoder = URLEncodedFormEncoder()
        #expect(try escaped("a?/[é] ", encoder) == "a?/%5B%C3%A9%5D%20")
        encoder.allowedCharacters = CharacterSet(charactersIn: "[]é ")
        #expect(try escaped("a?/[é] ", encoder) == "%61%3F%2F[%C3%A9]%20")
        encoder.allowedCharacters.formUnion(.alphanumerics)
        #expect(try escaped("a?/[é] ", encoder) == "a%3F%2F[%C3%A9]%20")
        encoder = URLEncodedFormEncoder(
            allowedCharacters: .afURLQueryAllowed.subtracting(CharacterSet(charactersIn: "?/"))
        )
        #expect(try escaped("?/", encoder) == "%3F%2F")
        #expect(try escaped("", URLEncodedFormEncoder(allowedCharacters: CharacterSet())) == "")
    }

    @Test func escapesLongTexts() throws {
        let text = String(repeating: "一二三 and so on & on; ", count: 5_000)
        #expect(try escaped(text).removingPercentEncoding == text)
    }
}
