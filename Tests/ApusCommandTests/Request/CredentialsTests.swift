import Apus
import Testing

@testable import ApusCommand

@Suite struct CredentialsTests {
    @Test func splitsAtTheFirstColon() throws {
        #expect(try Credentials("ada:a:b") { _ in nil } == .basic(user: "ada", password: "a:b"))
        #expect(try Credentials("ada:") { _ in "asked" } == .basic(user: "ada", password: ""))
        #expect(try Credentials(":b", scheme: .digest) { _ in nil } == .digest(user: "", password: "b"))
    }

    /// A combining character forms one character with the colon.
    @Test func splitsAtTheScalarOfTheColon() throws {
        let password = "\u{301}b"
        #expect(try Credentials("ada:\(password)") { _ in nil } == .basic(user: "ada", password: password))
    }

    @Test func promptsForThePassword() throws {
        let ask = { (user: String) -> String? in "secret of \(user)" }
        #expect(try Credentials("ada", ask: ask) == .basic(user: "ada", password: "secret of ada"))
        #expect(try Credentials("ada", scheme: .digest, ask: ask) == .digest(user: "ada", password: "secret of ada"))
        #expect(throws: CommandFault.self) { try Credentials("ada") { _ in nil } }
    }

    @Test func usesATokenUnchanged() throws {
        #expect(try Credentials("a:b", scheme: .bearer) { _ in nil } == .bearer("a:b"))
        #expect(try Credentials("ab", scheme: .bearer) { _ in nil } == .bearer("ab"))
        #expect(throws: CommandFault.self) { try Credentials("", scheme: .bearer) { _ in nil } }
    }

    @Test func sendsUTF8() throws {
        #expect(try Credentials.basic(user: "test", password: "123£").field()?.value == "Basic dGVzdDoxMjPCow==")
        #expect(try Credentials.bearer("mF_9.B5f").field()?.value == "Bearer mF_9.B5f")
        #expect(try Credentials.digest(user: "a", password: "b").field() == nil)
    }

    @Test(arguments: ["sesame\nB: c", "sesame\r", "sesame\0"]) func keepsTokensInTheirField(token: String) throws {
        let fault = try #require(throws: CommandFault.self) { try Credentials.bearer(token).field() }
        #expect(fault.sentence.contains("--auth"))
        // It is a secret, and must not start a new line.
        #expect(!fault.sentence.contains("sesame") && !fault.sentence.contains("B: c"))
        #expect(fault.sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test(arguments: [
        Credentials.basic(user: "ada", password: "a:b"), .digest(user: "ada", password: ""), .bearer("a:b"),
    ])
    func readsStoredCredentials(credentials: Credentials) throws {
        let (scheme, text) = credentials.kept
        #expect(try Credentials(text, scheme: scheme) { _ in nil } == credentials)
    }

    @Test func waitsForAChallengeOnlyWithDigest() {
        let origin = Origin(scheme: .https, host: "example.org")
        #expect(Credentials.digest(user: "a", password: "b").credential(for: origin) != nil)
        #expect(Credentials.basic(user: "a", password: "b").credential(for: origin) == nil)
        #expect(Credentials.bearer("a").credential(for: origin) == nil)
        #expect(Credentials(.bearer, user: "a", password: "b") == nil)
    }
}
