internal import Apus
internal import Testing

@testable internal import ApusAuth

@Suite struct CredentialStoreTests {
    private let origin = Origin(scheme: .https, host: "h")
    private let store = CredentialStore()

    private func credential(_ realm: String?, _ scheme: String, origin: Origin? = nil) -> Credential? {
        store.credential(for: ProtectionSpace(origin ?? self.origin, realm: realm, scheme: scheme))
    }

    @Test func prefersTheMostSpecificSpace() {
        let names = ["both", "realm", "scheme", "origin"]
        let spaces = [
            ProtectionSpace(origin, realm: "a", scheme: "Basic"), ProtectionSpace(origin, realm: "a"),
            ProtectionSpace(origin, scheme: "basic"), ProtectionSpace(origin),
        ]
        for (name, space) in zip(names, spaces).reversed() {
            store.set(.user(name, password: ""), for: space)
            #expect(credential("a", "basic") == .user(name, password: ""))
        }
        #expect(credential("a", "digest") == .user("realm", password: ""))
        #expect(credential("b", "BASIC") == .user("scheme", password: ""))
        #expect(credential(nil, "digest") == .user("origin", password: ""))
    }

    @Test func keepsOriginsApart() {
        store.set(.bearer("t"), for: ProtectionSpace(origin))
        for other in [
            Origin(scheme: .http, host: "h"), Origin(scheme: .https, host: "h", port: 8443),
            Origin(scheme: .https, host: "sub.h"),
        ] {
            #expect(credential("a", "bearer", origin: other) == nil)
        }
        #expect(credential("a", "bearer") == .bearer("t"))
        store.set(nil, for: ProtectionSpace(origin))
        #expect(credential("a", "bearer") == nil)
        store.set(.bearer("t"), for: ProtectionSpace(origin))
        store.removeAll()
        #expect(credential("a", "bearer") == nil)
    }

    @Test func revealsNoSecrets() {
        store.set(.user("ada", password: "sesame"), for: ProtectionSpace(origin, realm: "a"))
        let challenge = AuthenticationChallenge.challenges(in: [.wwwAuthenticate: "Digest realm=a, nonce=sesame"])
        let values: [Any] = [
            store, Credential.user("sesame", password: "sesame"), Credential.bearer("sesame"),
            [Credential.bearer("sesame")], CredentialSource(store), RequestCredential(.bearer("sesame")),
            RequestCredential(.user("sesame", password: "sesame")), challenge,
            [RequestCredential(.bearer("sesame"))] as RequestOptions,
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("sesame"), "\(type(of: value)): \(text)")
            }
        }
        var configuration = Session.Configuration()
        configuration.credentials = CredentialSource(store)
        #expect(!String(reflecting: configuration).contains("sesame"))
    }
}
