internal import Apus
internal import ApusCore
internal import Testing

@testable internal import ApusAuth

@Suite struct AuthenticationCacheTests {
    private let cache = AuthenticationCache()
    private let credential = Credential.user("ada", password: "secret")

    private func target(_ uri: String) throws -> TargetURI { try TargetURI(uri) }

    private func learn(_ uri: String, realm: String = "a", name: String = "ada") throws {
        let target = try target(uri)
        let space = ProtectionSpace(target.origin, realm: realm, scheme: "basic")
        let field = try HTTPField.authorization(username: name, password: "secret")
        let authorization = Authorization(
            space: space,
            credential: .user(name, password: "secret"),
            proof: .field(field),
            isFresh: true
        )
        cache.accepted(authorization, for: target, nextNonce: nil)
    }

    private func realm(_ uri: String) throws -> String? { cache.authorization(for: try target(uri))?.space.realm }

    @Test func findsTheCredentialForAPath() throws {
        try learn("http://h/a/b")
        try learn("http://h/c/d", realm: "c")
        try learn("http://h/a/x/y", realm: "x")
        #expect(try realm("http://h/a/z") == "a")
        #expect(try realm("http://h/a/x/z") == "x")
        #expect(try realm("http://h/c/") == "c")
        #expect(try realm("http://h/c") == nil)
        #expect(try realm("http://h/cd") == nil)
        #expect(try realm("https://h/a/b") == nil)
        #expect(try realm("http://other/a/b") == nil)
        #expect(try realm("http://h:81/a/b") == nil)
        #expect(try realm("http://h/a/../z") == nil)
    }

    @Test func removesRefusedCredentials() throws {
        try learn("http://h/a")
        let authorization = try #require(cache.authorization(for: try target("http://h/a")))
        cache.refused(authorization)
        #expect(try realm("http://h/a") == nil)
    }

    @Test func keepsTheCredentialThatWasAcceptedLast() throws {
        try learn("http://h/a")
        try learn("http://h/a", name: "bob")
        let authorization = try #require(cache.authorization(for: try target("http://h/a")))
        #expect(authorization.credential == .user("bob", password: "secret"))
    }

    @Test func limitsTheNumberOfEntries() throws {
        for number in 0..<200 { try learn("http://h\(number)/") }
        #expect(try realm("http://h0/") == nil)
        #expect(try realm("http://h199/") == "a")
        for number in 0..<50 { try learn("http://h/\(number)/") }
        #expect(try realm("http://h/0/") == nil)
        #expect(try realm("http://h/49/") == "a")
    }

    /// Basic is removed even for paths that accepted it before.
    @Test func removesBasicOnceDigestHasProvedThePassword() throws {
        try learn("http://h/a/")
        try learn("http://h/b/", realm: "b", name: "bob")
        try learn("http://other/")
        let target = try target("http://h/d/")
        let space = ProtectionSpace(target.origin, realm: "d", scheme: "digest")
        let session = DigestSession(try digest(), user: "ada", password: "secret", clientNonce: "c")
        let authorization = cache.authorization(for: try digest().nonce, of: space, with: credential, session: session)
        cache.accepted(try #require(authorization), for: target, nextNonce: nil)
        let known = try #require(cache.authorization(for: try self.target("http://h/a/x")))
        if case .field = known.proof { Issue.record("the password would be sent in the clear") }
        // A request that was sent with Basic earlier completes.
        try learn("http://h/a/")
        let later = try #require(cache.authorization(for: try self.target("http://h/a/x")))
        if case .field = later.proof { Issue.record("the password would be sent in the clear") }
        #expect(try realm("http://h/b/") == "b")
        #expect(try realm("http://other/") == "a")
    }

    /// The other cache belongs to a handle. It is released with the handle, but the session keeps its proofs.
    @Test func removesBasicOnceAnotherCacheHasProvedThePassword() throws {
        let proofs = CredentialProofs()
        let (cache, other) = (AuthenticationCache(proofs: proofs), AuthenticationCache(proofs: proofs))
        let target = try target("http://h/a/")
        let field = try HTTPField.authorization(username: "ada", password: "secret")
        let space = ProtectionSpace(target.origin, realm: "a", scheme: "basic")
        let basic = Authorization(space: space, credential: credential, proof: .field(field), isFresh: true)
        cache.accepted(basic, for: target, nextNonce: nil)
        #expect(cache.authorization(for: target) != nil)
        let session = DigestSession(try digest(), user: "ada", password: "secret", clientNonce: "c")
        let digestSpace = ProtectionSpace(target.origin, realm: "d", scheme: "digest")
        _ = other.authorization(for: try digest().nonce, of: digestSpace, with: credential, session: session)
        #expect(cache.authorization(for: target) == nil)
        #expect(cache.isProvedByDigest(credential, to: target.origin))
        // A request that was sent with Basic earlier completes.
        cache.accepted(basic, for: target, nextNonce: nil)
        #expect(cache.authorization(for: target) == nil)
        // Only the proof is shared.
        #expect(other.authorization(for: target) == nil)
    }

    @Test func limitsTheNumberOfProofs() throws {
        func prove(_ number: Int) throws {
            let space = ProtectionSpace(try target("http://h\(number)/").origin, realm: "a", scheme: "digest")
            let session = DigestSession(try digest(), user: "ada", password: "secret", clientNonce: "c")
            _ = cache.authorization(for: try digest().nonce, of: space, with: credential, session: session)
        }
        func isProved(_ number: Int) throws -> Bool {
            cache.isProvedByDigest(credential, to: try target("http://h\(number)/").origin)
        }
        for number in 0..<256 { try prove(number) }
        try prove(0)
        #expect(try isProved(1))
        try prove(256)
        #expect(try !isProved(1))
        // Proving the password again renews the entry.
        #expect(try isProved(0) && isProved(256))
        #expect(!cache.isProvedByDigest(.user("ada", password: "other"), to: try target("http://h0/").origin))
    }

    private func digest() throws -> DigestChallenge {
        let parsed = AuthenticationChallenge.challenges(in: [.wwwAuthenticate: "Digest realm=a, nonce=n, qop=auth"])
        return try #require(parsed.first.flatMap { DigestChallenge($0) })
    }

    private func field(of authorization: Authorization?) -> String {
        guard case .digest(let ticket) = authorization?.proof else { return "" }
        return String(decoding: ticket.authorization(method: "GET", target: "/", contentHash: nil), as: UTF8.self)
    }

    /// The second of two responses arrives after the session has changed its nonce twice.
    @Test func usesNoNonceCountTwiceIfAResponseIsLate() throws {
        let target = try target("http://h/")
        let space = ProtectionSpace(target.origin, realm: "a", scheme: "digest")
        let session = DigestSession(try digest(), user: "ada", password: "secret", clientNonce: "c")
        let first = try #require(
            cache.authorization(for: Array("n".utf8), of: space, with: credential, session: session)
        )
        let second = try #require(
            cache.authorization(for: Array("n".utf8), of: space, with: credential, session: session)
        )
        cache.accepted(first, for: target, nextNonce: Array("m".utf8))
        let third = try #require(cache.authorization(for: target))
        cache.accepted(third, for: target, nextNonce: Array("p".utf8))
        cache.accepted(second, for: target, nextNonce: Array("m".utf8))
        let fourth = try #require(cache.authorization(for: target))
        let fields = [first, second, third, fourth].map(field(of:))
        let nonces = fields.map { $0.firstMatch(of: #/ nonce="(\w+)"/#).map { String($0.1) } }
        #expect(nonces == ["n", "n", "m", "p"])
        #expect(Set(fields).count == 4)
    }

    @Test func givesEachRequestItsOwnNonceCount() async throws {
        let digest = try digest()
        let target = try target("http://h/")
        let space = ProtectionSpace(target.origin, realm: "a", scheme: "digest")
        let (cache, credential) = (cache, credential)
        let counts = await withTaskGroup(of: String.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let session = DigestSession(digest, user: "ada", password: "secret", clientNonce: "\(number)")
                    let authorization = cache.authorization(
                        for: Array("n".utf8),
                        of: space,
                        with: credential,
                        session: session
                    )
                    guard case .digest(let ticket) = authorization?.proof else { return "" }
                    let field = ticket.authorization(method: "GET", target: "/", contentHash: nil)
                    return String(decoding: field, as: UTF8.self)
                }
            }
            return await group.reduce(into: Set<Substring>()) { counts, field in
                if let match = field.firstMatch(of: #/nc=\w+/#) { counts.insert(match.output) }
            }
        }
        #expect(counts.count == 500)
        // No response has confirmed it, so it is not sent preemptively.
        #expect(cache.authorization(for: target) == nil)
    }
}
