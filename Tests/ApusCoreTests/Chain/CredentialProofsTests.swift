internal import Testing

@testable internal import ApusCore

@Suite struct CredentialProofsTests {
    private let proofs = CredentialProofs()
    private let origin = Origin(scheme: .http, host: "h")

    @Test func distinguishesOrigins() {
        proofs.note("secret", to: origin)
        #expect(proofs.contains("secret", for: origin))
        #expect(!proofs.contains("other", for: origin))
        for other in [Origin(scheme: .https, host: "h"), Origin(scheme: .http, host: "h", port: 81)] {
            #expect(!proofs.contains("secret", for: other))
        }
    }

    /// Keeps 256 proofs. One more evicts the oldest.
    @Test func keepsNoMoreThanItsLimit() {
        for number in 0..<256 { proofs.note(number, to: origin) }
        #expect((0..<256).allSatisfy { proofs.contains($0, for: origin) })
        // Noting a proof again makes it the newest.
        proofs.note(0, to: origin)
        #expect(proofs.contains(1, for: origin))
        proofs.note(256, to: origin)
        #expect(!proofs.contains(1, for: origin))
        #expect([0, 2, 255, 256].allSatisfy { proofs.contains($0, for: origin) })
    }
}
