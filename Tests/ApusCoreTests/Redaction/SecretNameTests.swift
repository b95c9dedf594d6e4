internal import ApusTestSupport
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct SecretNameTests {
    @Test(arguments: SecretNames.fields + SecretNames.parameters) func recognizesNamesOfSecrets(name: String) {
        #expect(SecretName.isSecret(name))
        #expect(SecretName.isSecret(escaped: Array(name.utf8)[...]))
        #expect(SecretName.isSecret(name.uppercased()) || name.contains { $0.isUppercase })
    }

    @Test(arguments: SecretNames.harmlessFields + SecretNames.harmless) func leavesOrdinaryNamesAlone(name: String) {
        #expect(!SecretName.isSecret(name))
        #expect(!SecretName.isSecret(escaped: Array(name.utf8)[...]))
    }

    @Test(arguments: [
        "p%61ssword", "%70%61%73%73%77%6F%72%64", "access%5Ftoken", "user%5Bpassword%5D", "user[password]",
        #"p\u0061ssword"#, #"\u0070\u0061\u0073\u0073word"#, #"p\\u0061ssword"#, #"p\x61ssword"#, #"api\u005Fkey"#,
        "csrf&#95;token", "p&#97;ssword", "p&#x61;ssword", "p&#X61;ssword", "api&lowbar;key", "api\u{2010}key",
        "key\u{301}",
        "api+key", "api key",
    ])
    func decodesEscapes(name: String) {
        #expect(SecretName.isSecret(escaped: Array(name.utf8)[...]))
    }

    @Test(arguments: [
        "%", "%6", "%zz", "&", "&#", "&#;", "&#x;", "&#99999999999;", "&;", #"\"#, #"\u"#, #"\u00"#, #"\uzzzz"#,
        #"\\\\"#,
        "%2561uthor", "pa%00ge", "\u{0}", "é", "日本語",
    ])
    func ignoresInvalidEscapes(name: String) {
        #expect(!SecretName.isSecret(escaped: Array(name.utf8)[...]))
    }

    @Test(arguments: [(256, true), (257, false)]) func ignoresNamesThatAreTooLong(count: Int, isSecret: Bool) {
        let name = String(repeating: "x", count: count - 5) + "token"
        #expect(SecretName.isSecret(name) == isSecret)
        #expect(SecretName.isSecret(escaped: Array(name.utf8)[...]) == isSecret)
        #expect(ContentRedactor.takenOut(of: "\(name)=a").hasSuffix("=a") == !isSecret)
    }

    @Test func recognizesAllSecretFields() {
        for name in Redaction.secretFields { #expect(SecretName.isSecret(name), "\(name)") }
    }

    @Test(arguments: [
        ("status", "code", false), ("the", "code", true), ("", "code", true), ("idempotency", "key", false),
        ("secret", "page", false),
    ])
    func considersThePrecedingWord(word: String, name: String, isSecret: Bool) {
        #expect(SecretName.isSecret(escaped: Array(name.utf8)[...], behind: Array(word.utf8)[...]) == isSecret)
    }

    @Test(arguments: [
        ("0123456789abcdef", true), ("0123456789abcde", false), ("dGhpc2lzYXNlY3JldA", true),
        ("6fa459ea-ee8a-3ca4-894e-db77e160355e", true),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", true),
        ("averylongsecretwithoutaname", true), ("abcdefghijklmnop1234", true), ("4111111111111111", true),
        ("include-all-descendants", false), ("someLongFlagNameHere", false), ("application/json", false),
        ("wsdl", false),
        ("2024-01-01T00:00:00Z", false), ("v2-include-all-descendants", false), ("----------------", false),
        ("", false),
        ("{\"0123456789abcdef\"}", false),
    ])
    func distinguishesRandomTextsFromWords(text: String, isLikely: Bool) {
        #expect(RandomText.isLikely(Array(text.utf8)[...]) == isLikely)
    }
}
