internal import Testing

@testable internal import ApusCore

/// Contents come from strangers: what is made of them must not take longer than their length lets expect.
@Suite(.timeLimit(.minutes(5))) struct SecretsOfContentTests {
    /// Each of these was once gone through from every place in it: of a mebibyte that would take hours.
    @Test(arguments: [
        (#"\\\\\""#, ""), (#"\\\\\""#, "\"" + String(repeating: " ", count: 1 << 19)), (#"\\"#, ""), (#"\""#, ""),
        (#"\\\""#, ""), ("\"", ""), (#"" "#, ""), (#""token" "#, ""), ("<token/>", ""), ("<token>", ""),
        ("<token a=", ""), ("<token", ""), ("</token", ""), ("token=", ""), ("token='", ""), (#"token=""#, ""),
        (#"{"token":["#, ""), (#"{"token":["a"#, ""), ("[", ""), ("%", ""), (" ", ""),
    ])
    func isDoneWithWhatIsMadeToTakeLong(piece: String, end: String) {
        let text = String(repeating: piece, count: (1 << 17) / piece.utf8.count) + end
        #expect(!SecretsOfContent.takenOut(of: text).isEmpty)
    }

    @Test func isDoneWithBackslashesInAMember() {
        let text = #"{"token":["# + String(repeating: #"\"#, count: 1 << 17)
        #expect(SecretsOfContent.takenOut(of: text) == #"{"token":"<redacted>""#)
    }

    @Test func isDoneWithSpacesBehindStrings() {
        let strings = String(repeating: #"\\\\\""#, count: 80_000)
        let text = strings + "\"" + String(repeating: " ", count: 1 << 19) + ":"
        #expect(SecretsOfContent.takenOut(of: text) == text)
    }

    @Test(arguments: [
        (#"{"password": "geheim", "a": "b"}"#, #"{"password": "<redacted>", "a": "b"}"#),
        (#"{\"password\": \"geheim\"}"#, #"{\"password\": \"<redacted>\"}"#),
        (#"{\\\"password\\\": \\\"geheim\\\"}"#, #"{\\\"password\\\": \\\"<redacted>\\\"}"#),
        (#"["a\"b", {"token": "x\"y"}]"#, #"["a\"b", {"token": "<redacted>"}]"#),
        (#"{"token": ["a", {"b": "c"}], "d": 1}"#, #"{"token": "<redacted>", "d": 1}"#),
        (#"{"token": ["a\\\\\"b"], "d": 1}"#, #"{"token": "<redacted>", "d": 1}"#),
        (#"\\\\\"a" , "token" : 1"#, #"\\\\\"a" , "token" : "<redacted>""#),
        ("<token/><a>b</a>", "<token/><a>b</a>"), ("<token a='b'/>c", "<token a='<redacted>'/>c"),
        ("<token>a</token>b", "<token><redacted></token>b"),
        ("<token/>a<token>b</token>", "<token/>a<token><redacted></token>"),
    ])
    func takesOutWhatItAlwaysDid(text: String, shown: String) {
        #expect(SecretsOfContent.takenOut(of: text) == shown)
    }

    @Test(arguments: [(256, true), (257, false)]) func takesNoLongNameForASecrets(count: Int, isSecret: Bool) {
        let name = String(repeating: "x", count: count - 5) + "token"
        #expect(SecretsOfContent.isSecret(Array(name.utf8)[...]) == isSecret)
        #expect(SecretsOfContent.takenOut(of: "\(name)=a").hasSuffix("=a") == !isSecret)
    }
}
