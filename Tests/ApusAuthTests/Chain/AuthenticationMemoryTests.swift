internal import Apus
internal import ApusCore
internal import Testing

@testable internal import ApusAuth

@Suite struct AuthenticationMemoryTests {
    private let memory = AuthenticationMemory()
    private let credential = Credential.user("ada", password: "secret")

    private func target(_ uri: String) throws -> TargetURI { try TargetURI(uri) }

    private func learn(_ uri: String, realm: String = "a", name: String = "ada") throws {
        let target = try target(uri)
        let space = ProtectionSpace(target.origin, realm: realm, scheme: "basic")
        let field = try HTTPField.authorization(username: name, password: "secret")
        let answer = Answer(
            space: space,
            credential: .user(name, password: "secret"),
            proof: .field(field),
            isFresh: true
        )
        memory.accepted(answer, for: target, nextNonce: nil)
    }

    private func realm(_ uri: String) throws -> String? { memory.answer(for: try target(uri))?.space.realm }

    @Test func knowsThePathsThatTookACredential() throws {
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

    @Test func forgetsWhatWasRefused() throws {
        try learn("http://h/a")
        let answer = try #require(memory.answer(for: try target("http://h/a")))
        memory.refused(answer)
        #expect(try realm("http://h/a") == nil)
    }

    @Test func keepsTheCredentialThatWasTakenLast() throws {
        try learn("http://h/a")
        try learn("http://h/a", name: "bob")
        let answer = try #require(memory.answer(for: try target("http://h/a")))
        #expect(answer.credential == .user("bob", password: "secret"))
    }

    @Test func remembersNoMoreThanItsLimit() throws {
        for number in 0..<200 { try learn("http://h\(number)/") }
        #expect(try realm("http://h0/") == nil)
        #expect(try realm("http://h199/") == "a")
        for number in 0..<50 { try learn("http://h/\(number)/") }
        #expect(try realm("http://h/0/") == nil)
        #expect(try realm("http://h/49/") == "a")
    }

    /// Not even where Basic took it before.
    @Test func forgetsBasicWhereDigestProvesThePassword() throws {
        try learn("http://h/a/")
        try learn("http://h/b/", realm: "b", name: "bob")
        try learn("http://other/")
        let target = try target("http://h/d/")
        let space = ProtectionSpace(target.origin, realm: "d", scheme: "digest")
        let session = DigestSession(try digest(), user: "ada", password: "secret", clientNonce: "c")
        let answer = memory.answer(to: try digest().nonce, of: space, with: credential, session: session)
        memory.accepted(try #require(answer), for: target, nextNonce: nil)
        let known = try #require(memory.answer(for: try self.target("http://h/a/x")))
        if case .field = known.proof { Issue.record("the password would be sent in the clear") }
        // A request that was on its way with Basic comes back.
        try learn("http://h/a/")
        let later = try #require(memory.answer(for: try self.target("http://h/a/x")))
        if case .field = later.proof { Issue.record("the password would be sent in the clear") }
        #expect(try realm("http://h/b/") == "b")
        #expect(try realm("http://other/") == "a")
    }

    /// The other memory is a handle's: it ends with the handle, but the session keeps its proofs.
    @Test func forgetsBasicWhereAnotherMemoryHasProvedThePassword() throws {
        let proofs = CredentialProofs()
        let (memory, other) = (AuthenticationMemory(proofs: proofs), AuthenticationMemory(proofs: proofs))
        let target = try target("http://h/a/")
        let field = try HTTPField.authorization(username: "ada", password: "secret")
        let space = ProtectionSpace(target.origin, realm: "a", scheme: "basic")
        let basic = Answer(space: space, credential: credential, proof: .field(field), isFresh: true)
        memory.accepted(basic, for: target, nextNonce: nil)
        #expect(memory.answer(for: target) != nil)
        let session = DigestSession(try digest(), user: "ada", password: "secret", clientNonce: "c")
        let digestSpace = ProtectionSpace(target.origin, realm: "d", scheme: "digest")
        _ = other.answer(to: try digest().nonce, of: digestSpace, with: credential, session: session)
        #expect(memory.answer(for: target) == nil)
        #expect(memory.isProvedByDigest(credential, to: target.origin))
        // A request that was on its way with Basic comes back.
        memory.accepted(basic, for: target, nextNonce: nil)
        #expect(memory.answer(for: target) == nil)
        // The proof is shared, and nothing else.
        #expect(other.answer(for: target) == nil)
    }

    @Test func remembersNoMoreProofsThanItsLimit() throws {
        func prove(_ number: Int) throws {
            let space = ProtectionSpace(try target("http://h\(number)/").origin, realm: "a", scheme: "digest")
            let session = DigestSession(try digest(), user: "ada", password: "secret", clientNonce: "c")
            _ = memory.answer(to: try digest().nonce, of: space, with: credential, session: session)
        }
        func isProved(_ number: Int) throws -> Bool {
            memory.isProvedByDigest(credential, to: try target("http://h\(number)/").origin)
        }
        for number in 0..<256 { try prove(number) }
        try prove(0)
        #expect(try isProved(1))
        try prove(256)
        #expect(try !isProved(1))
        // What is proved again is as good as new.
        #expect(try isProved(0) && isProved(256))
        #expect(!memory.isProvedByDigest(.user("ada", password: "other"), to: try target("http://h0/").origin))
    }

    private func digest() throws -> DigestChallenge {
        let parsed = AuthenticationChallenge.challenges(in: [.wwwAuthenticate: "Digest realm=a, nonce=n, qop=auth"])
        return try #require(parsed.first.flatMap { DigestChallenge($0) })
    }

    private func authorization(_ answer: Answer?) -> String {
        guard case .digest(let ticket) = answer?.proof else { return "" }
        return String(decoding: ticket.authorization(method: "GET", target: "/", contentHash: nil), as: UTF8.self)
    }

    /// The second of two requests is answered only when the session has gone on twice.
    @Test func countsNoNonceTwiceWhereAnAnswerComesLate() throws {
        let target = try target("http://h/")
        let space = ProtectionSpace(target.origin, realm: "a", scheme: "digest")
        let session = DigestSession(try digest(), user: "ada", password: "secret", clientNonce: "c")
        let first = try #require(memory.answer(to: Array("n".utf8), of: space, with: credential, session: session))
        let second = try #require(memory.answer(to: Array("n".utf8), of: space, with: credential, session: session))
        memory.accepted(first, for: target, nextNonce: Array("m".utf8))
        let third = try #require(memory.answer(for: target))
        memory.accepted(third, for: target, nextNonce: Array("p".utf8))
        memory.accepted(second, for: target, nextNonce: Array("m".utf8))
        let fourth = try #require(memory.answer(for: target))
        let fields = [first, second, third, fourth].map(authorization)
        let nonces = fields.map { $0.firstMatch(of: #/ nonce="(\w+)"/#).map { String($0.1) } }
        #expect(nonces == ["n", "n", "m", "p"])
        #expect(Set(fields).count == 4)
    }

    @Test func givesEachRequestOfANonceACountOfItsOwn() async throws {
        let digest = try digest()
        let target = try target("http://h/")
        let space = ProtectionSpace(target.origin, realm: "a", scheme: "digest")
        let (memory, credential) = (memory, credential)
        let counts = await withTaskGroup(of: String.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let session = DigestSession(digest, user: "ada", password: "secret", clientNonce: "\(number)")
                    let answer = memory.answer(to: Array("n".utf8), of: space, with: credential, session: session)
                    guard case .digest(let ticket) = answer?.proof else { return "" }
                    let field = ticket.authorization(method: "GET", target: "/", contentHash: nil)
                    return String(decoding: field, as: UTF8.self)
                }
            }
            return await group.reduce(into: Set<Substring>()) { counts, field in
                if let match = field.firstMatch(of: #/nc=\w+/#) { counts.insert(match.output) }
            }
        }
        #expect(counts.count == 500)
        // Nobody has let it in, so nobody is sent it unasked.
        #expect(memory.answer(for: target) == nil)
    }
}
