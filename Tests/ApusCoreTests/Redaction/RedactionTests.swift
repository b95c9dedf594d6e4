internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct RedactionTests {
    @Test(arguments: [
        ("https://example.org/a/b", "https://example.org/a/b"),
        ("https://user:secret@example.org/", "https://example.org/"),
        ("https://secret@example.org", "https://example.org"),
        ("https://a@secret@example.org/x", "https://example.org/x"),
        ("//user:secret@example.org/", "//example.org/"),
        ("user:secret@example.org/x", "example.org/x"),
        ("https://example.org/@user/a@b", "https://example.org/@user/a@b"),
        ("https://example.org:8443/@user", "https://example.org:8443/@user"),
        ("https://[::1]:8443/@user", "https://[::1]:8443/@user"),
        ("https://user:sec/ret@example.org/", "https://example.org/"),
        ("https://user:sec?ret@example.org/", "https://example.org/"),
        ("https://user:sec#ret@example.org/", "https://example.org/"),
        ("https://user:secret", "https://user:…"),
        ("https://example.org/?token=secret", "https://example.org/?token=…"),
        ("https://example.org/?a=secret&b=&c&d=secret=secret", "https://example.org/?a=…&b=…&c&d=…"),
        ("https://example.org/?a=secret#b=secret", "https://example.org/?a=…#…"),
        ("https://example.org/a#access_token=secret", "https://example.org/a#…"),
        ("https://example.org/#?secret", "https://example.org/#…"),
        ("/login?next=https://user:secret@example.org/", "/login?next=…"),
        // The padding of a base64 value does not end the name of a parameter.
        ("/a;id=c2VjcmV0c2VjcmV0cw==", "/a;id=…"), ("/a;id=c2VjcmV0c2VjcmV0c2U=/b", "/a;id=…/b"),
        ("/a;id==", "/a;id=…"),
        ("/a;c2VjcmV0OnNlY3JldDEyMzQ1Njc4OQ==/b", "/a;…/b"), ("/a;c2VjcmV0OnNlY3JldDEyMzQ1Njc4OTA=", "/a;…"),
        ("/a;id=/b;v=1;id=", "/a;id=/b;v=…;id="),
        ("", ""), ("?", "?"), ("#", "#…"), ("@", ""), ("://", "://"), ("//", "//"),
    ])
    func showsURLsWithoutSecrets(url: String, shown: String) {
        #expect(Redaction.url(url) == shown)
    }

    @Test(arguments: [
        "could not reach https://user:secret@example.org/ in time",
        "could not reach https://example.org/?token=secret",
        "NSErrorFailingURLKey=\"https://example.org/a?key=secret\", code 7",
        "first\nhttps://user:secret@example.org/\nlast",
        "<https://user:secret@example.org/> (https://example.org/?q=secret)",
        "https://example.org/?a=secret\thttps://example.org/?a=secret",
        "sent Authorization: Bearer secret.abc123 to it",
        "sent authorization: basic secret0ZTpwdw== to it",
        "postgres://user:secret@db/x",
    ])
    func redactsSecretsInTexts(text: String) {
        let shown = Redaction.text(text)
        #expect(!shown.contains("secret"), "\(shown)")
    }

    @Test(arguments: [
        "", " ", "nothing to hide", "a@b.example wrote", "line\n  two  \n", "Basic authentication failed",
        "see https://example.org/a, or not", "the bearer of this",
    ])
    func leavesOtherTextsAlone(text: String) {
        #expect(Redaction.text(text) == text)
    }

    @Test(arguments: [
        "Authorization", "PROXY-AUTHORIZATION", "Cookie", "set-cookie", "WWW-Authenticate", "X-API-Key", "X-Auth-Token",
    ])
    func hidesTheValuesOfSecretFields(name: String) throws {
        let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "secret")
        #expect(Redaction.value(of: field) == Redaction.mark)
    }

    @Test func showsOtherFieldsUnchangedAndInOrder() {
        let fields: HTTPFields = [.accept: "a", .authorization: "secret", .contentType: "b", .setCookie: "secret"]
        let shown = Redaction.fields(fields).map { "\($0.name): \($0.value)" }
        #expect(shown == ["Accept: a", "Authorization: <redacted>", "Content-Type: b", "Set-Cookie: <redacted>"])
    }

    @Test func showsURLsInFieldsWithoutSecrets() {
        let location = HTTPField(name: .location, value: "https://user:secret@example.org/?code=secret")
        #expect(Redaction.value(of: location) == "https://example.org/?code=…")
        let referer = HTTPField(name: .referer, value: "/a?b=secret")
        #expect(Redaction.value(of: referer) == "/a?b=…")
    }
}
