internal import Apus
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

    @Test func givesEachRequestOfANonceACountOfItsOwn() async throws {
        let parsed = AuthenticationChallenge.challenges(in: [.wwwAuthenticate: "Digest realm=a, nonce=n, qop=auth"])
        let digest = try #require(parsed.first.flatMap { DigestChallenge($0) })
        let target = try target("http://h/")
        let space = ProtectionSpace(target.origin, realm: "a", scheme: "digest")
        let (memory, credential) = (memory, credential)
        let counts = await withTaskGroup(of: String.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let session = DigestSession(digest, user: "ada", password: "secret", clientNonce: "\(number)")
                    let answer = memory.answer(to: "n", of: space, with: credential, session: session)
                    guard case .digest(let ticket) = answer?.proof else { return "" }
                    return ticket.authorization(method: "GET", target: "/", contentHash: nil)
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
