internal import Testing

@testable internal import ApusCore

@Suite struct PercentEncodingTests {
    @Test func keepsUnreservedCharactersAndEncodesAllOthers() {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        #expect(PercentEncoding.encode(unreserved) == unreserved)
        for code in UInt8.min..<128 {
            let character = String(UnicodeScalar(code))
            let hexadecimal = String(code, radix: 16, uppercase: true)
            let encoded = "%" + (hexadecimal.count == 1 ? "0" : "") + hexadecimal
            #expect(PercentEncoding.encode(character) == (unreserved.contains(character) ? character : encoded))
        }
    }

    @Test(arguments: [("", ""), ("ü", "%C3%BC"), ("a b", "a%20b"), ("🦅", "%F0%9F%A6%85"), ("e\u{301}", "e%CC%81")])
    func encodesUTF8(string: String, encoded: String) {
        #expect(PercentEncoding.encode(string) == encoded)
        #expect(PercentEncoding.decode(encoded) == string)
    }

    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("%41", "A"), ("%4a%4A", "JJ"), ("a+b", "a+b"), ("%", "%"), ("%4", "%4"),
        ("%%41", "%A"), ("%zz", "%zz"), ("%4g%41", "%4gA"), ("%2541", "%41"), ("%ff", "\u{FFFD}"), ("100%", "100%"),
    ])
    func decodesOnlyValidSequences(string: String, decoded: String) {
        #expect(PercentEncoding.decode(string) == decoded)
    }

    @Test func decodesItsOwnOutput() {
        let all = String(String.UnicodeScalarView((0...0x2FF).compactMap { UnicodeScalar($0) }))
        #expect(PercentEncoding.decode(PercentEncoding.encode(all)) == all)
    }
}
