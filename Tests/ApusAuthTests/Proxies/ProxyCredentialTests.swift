internal import ApusCore
internal import HTTPTypes
internal import Testing

@testable internal import ApusAuth

@Suite struct ProxyCredentialTests {
    private static let digest = #"Digest realm="p", nonce="n1", qop="auth", algorithm=MD5"#

    private func credential(
        _ authentication: ProxyServer.Authentication,
        user: String = "ada",
        password: String = "secret"
    ) -> ProxyCredential {
        let server = ProxyServer(host: "p", user: user, password: password, authentication: authentication)
        return ProxyCredential(server) { "c1" }
    }

    private func value(_ credential: inout ProxyCredential) throws -> String? {
        try credential.field(method: .connect, target: "a.example:443")?.value
    }

    private func challenge(_ values: String...) -> HTTPFields {
        HTTPFields(values.map { HTTPField(name: .proxyAuthenticate, value: $0) })
    }

    @Test func sendsBasicAtOnce() throws {
        var credential = credential(.basic)
        let field = try credential.field(method: .connect, target: "a.example:443")
        #expect(field?.name == .proxyAuthorization)
        #expect(field?.value == "Basic YWRhOnNlY3JldA==")
        let takesUp = credential.takeUp(challenge(Self.digest, "Basic realm=p"), isAnswered: false)
        #expect(!takesUp)
    }

    @Test(arguments: [ProxyServer.Authentication.digest, .automatic])
    func waitsForAChallenge(authentication: ProxyServer.Authentication) throws {
        var credential = credential(authentication)
        let first = try value(&credential)
        #expect(first == nil)
        let takesUp = credential.takeUp(challenge("Basic realm=p", Self.digest), isAnswered: false)
        #expect(takesUp)
        let answer = try value(&credential)
        let second = try #require(answer)
        #expect(second.hasPrefix(#"Digest username="ada", realm="p", uri="a.example:443", algorithm=MD5, nonce="n1""#))
        #expect(second.contains(#"nc=00000001, cnonce="c1", qop=auth"#))
        // A1 = ada:p:secret, A2 = CONNECT:a.example:443.
        #expect(second.contains(#"response="\#(Self.response)""#))
        let third = try value(&credential)
        #expect(third?.contains("nc=00000002") == true)
    }

    /// The response of RFC 7616 §3.4.1 to the challenge above.
    private static var response: String {
        let function = HashFunction.md5
        let first = function.hexadecimal("ada:p:secret")
        let second = function.hexadecimal("CONNECT:a.example:443")
        return function.hexadecimal("\(first):n1:00000001:c1:auth:\(second)")
    }

    @Test func prefersTheStrongestAlgorithm() throws {
        var credential = credential(.automatic)
        let strong = #"Digest realm="p", nonce="n2", qop="auth", algorithm=SHA-256"#
        let takesUp = credential.takeUp(challenge(Self.digest, strong), isAnswered: false)
        #expect(takesUp)
        let sent = try value(&credential)
        #expect(sent?.contains("algorithm=SHA-256") == true)
    }

    @Test func usesBasicIfNothingElseIsOffered() throws {
        var credential = credential(.automatic)
        let takesUp = credential.takeUp(challenge("NTLM", "Basic realm=p"), isAnswered: false)
        #expect(takesUp)
        let sent = try value(&credential)
        #expect(sent == "Basic YWRhOnNlY3JldA==")
        let again = credential.takeUp(challenge("Basic realm=p"), isAnswered: true)
        #expect(!again)
    }

    @Test func neverUsesBasicForDigest() {
        var credential = credential(.digest)
        let takesUp = credential.takeUp(challenge("Basic realm=p"), isAnswered: false)
        #expect(!takesUp)
    }

    @Test func neverUsesBasicAfterDigest() {
        var credential = credential(.automatic)
        let takesUpDigest = credential.takeUp(challenge(Self.digest), isAnswered: false)
        #expect(takesUpDigest)
        let takesUpBasic = credential.takeUp(challenge("Basic realm=p"), isAnswered: false)
        #expect(!takesUpBasic)
    }

    @Test func answersAgainOnlyIfTheNonceWasStale() {
        var credential = credential(.digest)
        let first = credential.takeUp(challenge(Self.digest), isAnswered: false)
        let refused = credential.takeUp(challenge(#"Digest realm="p", nonce="n3", qop="auth""#), isAnswered: true)
        let stale = credential.takeUp(challenge(#"Digest realm="p", nonce="n4", stale=true"#), isAnswered: true)
        #expect([first, refused, stale] == [true, false, true])
    }

    @Test func skipsChallengesThatCoverTheBody() {
        var credential = credential(.automatic)
        let takesUp = credential.takeUp(challenge(#"Digest realm="p", nonce="n", qop="auth-int""#), isAnswered: false)
        #expect(!takesUp)
    }

    @Test(arguments: ["a:b", "a\nb"])
    func rejectsUsersThatBasicCannotSend(user: String) {
        var credential = credential(.basic, user: user)
        var thrown: ApusError?
        do throws(ApusError) {
            _ = try credential.field(method: .get, target: "http://a.example/")
        } catch {
            thrown = error
        }
        #expect(thrown?.code == .invalidConfiguration)
    }

    @Test func isMadeForAProxy() throws {
        let server = ProxyServer(host: "p", user: "ada", password: "secret")
        var authorization = ProxyCredentials().authorization(for: server)
        let field = try authorization.field(method: .get, target: "http://a.example/")
        #expect(field?.value == "Basic YWRhOnNlY3JldA==")
    }
}
