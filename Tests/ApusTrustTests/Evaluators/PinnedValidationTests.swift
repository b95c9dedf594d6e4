internal import ApusCore
internal import Foundation
internal import Testing

@testable internal import ApusTrust

/// Chains with an authority between the root and the server.
@Suite struct PinnedValidationTests {
    /// A server, and another one with a certificate of another trusted authority.
    private struct Chains {
        let honest: [[UInt8]]
        let forged: [[UInt8]]
        let middle: [UInt8]
        let roots: ServerTrust.Roots

        init() throws {
            let root = TestAuthority("Root")
            let middle = TestAuthority("Middle")
            let rogue = TestAuthority("Rogue")
            let roots = [try root.root(Self.last), try rogue.root(Self.last)]
            self.middle = try root.authority(middle, Self.last).derBytes
            self.honest = [try middle.server(Self.last).derBytes, self.middle]
            self.forged = [try rogue.server(Self.last).derBytes, self.middle]
            self.roots = .pem(PEMText.text(of: roots.map(\.derBytes)))
        }

        /// Makes a certificate valid at the current time too, which evaluators use.
        private static func last(_ template: inout TestTemplate) {
            template.validFrom = -20 * 365 * 86_400
            template.validTo = 20 * 365 * 86_400
        }
    }

    private func error(
        of evaluator: any ServerTrustEvaluating,
        _ der: [[UInt8]],
        _ roots: ServerTrust.Roots
    ) async -> ApusError? {
        await TrustSample.error(of: evaluator, der, host: "a.example", roots: roots)
    }

    /// Parity: AF-trust-certificates, AF-trust-keys
    @Test func matchesAnAuthorityOfTheValidatedChain() async throws {
        let chains = try Chains()
        let middle = try ServerCertificate(derBytes: chains.middle)
        let evaluators: [any ServerTrustEvaluating] = [
            PinnedCertificatesTrustEvaluator(certificates: [middle]),
            PublicKeysTrustEvaluator(keys: [PublicKeyPin(certificate: middle)]),
            PinnedCertificatesTrustEvaluator(certificates: [middle], acceptSelfSignedCertificates: true),
        ]
        for evaluator in evaluators {
            #expect(await error(of: evaluator, chains.honest, chains.roots) == nil)
            // The pinned certificate is sent along, but did not issue that of the server.
            let forged = await error(of: evaluator, chains.forged, chains.roots)
            #expect(forged?.code == .certificateRejected)
        }
    }

    @Test func matchesOnlyTheServerWithoutAValidation() async throws {
        let chains = try Chains()
        let middle = try ServerCertificate(derBytes: chains.middle)
        let server = try ServerCertificate(derBytes: try #require(chains.honest.first))
        for (pin, isTrusted) in [(middle, false), (server, true)] {
            let certificates = PinnedCertificatesTrustEvaluator(
                certificates: [pin],
                performDefaultValidation: false,
                validateHost: false
            )
            let keys = PublicKeysTrustEvaluator(
                keys: [PublicKeyPin(certificate: pin)],
                performDefaultValidation: false,
                validateHost: false
            )
            #expect((await error(of: certificates, chains.honest, chains.roots) == nil) == isTrusted)
            #expect((await error(of: keys, chains.honest, chains.roots) == nil) == isTrusted)
        }
    }

    @Test func namesThePinsOfTheChain() async throws {
        let chains = try Chains()
        let evaluator = PublicKeysTrustEvaluator(keys: [PublicKeyPin(publicKey: Data())])
        let rejection = await error(of: evaluator, chains.honest, chains.roots)?.underlying as? CertificateRejection
        guard case .notPinned(let hashes)? = rejection else {
            Issue.record("the reason is \(String(describing: rejection))")
            return
        }
        #expect(hashes.count == 3)
        for hash in hashes { #expect(try PublicKeyPin(hash).description == hash) }
    }
}
