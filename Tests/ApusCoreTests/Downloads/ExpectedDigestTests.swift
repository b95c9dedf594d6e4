internal import ApusTestSupport
internal import Testing

@testable internal import ApusCore

@Suite struct ExpectedDigestTests {
    private static let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    /// Texts that are no SHA-256 digest.
    private static let others: [String] = [
        "", "abc", "\(sha256)0", "\(sha256)\(sha256)", "sha256:\(sha256)", "\(sha256)\n",
    ]

    @Test func isAnOption() throws {
        let digest = try ExpectedDigest.sha256(Self.sha256)
        let options: RequestOptions = [digest]
        #expect(options[ExpectedDigest.self] == digest)
        #expect(options.comparable == RequestOptions().comparable)
    }

    @Test func showsItsDigest() throws {
        let short = try ExpectedDigest.sha256(Self.sha256.uppercased())
        #expect("\(short)" == "sha-256 \(Self.sha256)")
        let digits = String(repeating: "0f", count: 64)
        let long = try ExpectedDigest.sha512(digits)
        #expect("\(long)" == "sha-512 \(digits)")
    }

    @Test(arguments: others)
    func rejectsATextThatIsNoSHA256Digest(text: String) async throws {
        let error = try #require(await failure { try ExpectedDigest.sha256(text) })
        #expect(error.code == .invalidConfiguration)
        #expect(error.detail.contains("with \(text.count) characters is no SHA-256 digest"))
        #expect(error.hint == "write its 32 bytes as 64 hexadecimal digits")
        #expect(!"\(error)".contains("\n"))
    }

    @Test func rejectsATextThatIsNoSHA512Digest() async throws {
        let error = try #require(await failure { try ExpectedDigest.sha512(Self.sha256) })
        #expect(error.code == .invalidConfiguration)
        #expect(error.hint == "write its 64 bytes as 128 hexadecimal digits")
    }
}
