internal import ApusCore
internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import ApusTrust

/// Signatures by RSASSA-PSS. `Scripts/certificate-matrix` has many more.
@Suite struct PSSSignatureTests {
    private static let algorithms: [PSSSignature] = [.sha256, .sha384, .sha512]
    private static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]
    private static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    private static let sha384: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 2]
    private static let sha512: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 3]
    private static let mgf1: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 8]

    @Test func areVerifiedIfOpenSSLMadeThem() throws {
        let root = try PSSSamples.root
        let servers = try PSSSamples.servers
        #expect(root.isSigned(by: root))
        #expect(servers.map(\.signatureScheme) == Self.algorithms.map { SignatureScheme.pss($0) })
        for server in servers { #expect(try builtPath(server, [], [root]).rejection == nil) }
    }

    @Test func areMadeWithTheKeyOfTheAuthority() throws {
        let server = try #require(try PSSSamples.servers.first)
        let (other, namesake) = (try OpenSSLResponses.authority, try TestAuthority("PSS Root").root())
        #expect(!server.isSigned(by: other))
        #expect(!server.isSigned(by: namesake))
        #expect(try builtPath(server, [], [namesake]).rejection == .invalidSignature(issuer: "CN=PSS Root"))
    }

    @Test func coverTheWholeContents() throws {
        let root = try PSSSamples.root
        let servers = try PSSSamples.servers
        for (server, algorithm) in zip(servers, Self.algorithms) {
            #expect(root.hasSigned(server.signedBytes, signature: server.signature, by: .pss(algorithm)))
            for other in Self.algorithms where other != algorithm {
                #expect(!root.hasSigned(server.signedBytes, signature: server.signature, by: .pss(other)))
            }
            let bytes = server.signedBytes.dropLast()
            #expect(!root.hasSigned(bytes, signature: server.signature, by: .pss(algorithm)))
            let short = server.signature.dropFirst()
            #expect(!root.hasSigned(server.signedBytes, signature: short, by: .pss(algorithm)))
            #expect(!root.hasSigned(server.signedBytes, signature: [], by: .pss(algorithm)))
            let plain = SignatureScheme.usable(.sha256WithRSAEncryption)
            #expect(!root.hasSigned(server.signedBytes, signature: server.signature, by: plain))
        }
    }

    @Test func countAsSignatureChecks() throws {
        let server = try #require(try PSSSamples.servers.first)
        var limits = PathLimits()
        limits.signatureChecks = 0
        let root = try PSSSamples.root
        let result = try builtPath(server, [], [root], limits: limits)
        #expect(result.rejection == .other("its chain has too many branches"))
    }

    // MARK: Parameters

    @Test func haveTheUsualParameters() throws {
        #expect(try scheme(Self.sha256, Self.sha256, 32) == .pss(.sha256))
        #expect(try scheme(Self.sha384, Self.sha384, 48) == .pss(.sha384))
        #expect(try scheme(Self.sha512, Self.sha512, 64) == .pss(.sha512))
        // Some encode the default value, or leave out the NULL.
        #expect(try scheme(Self.sha256, Self.sha256, 32, trailer: 1) == .pss(.sha256))
        #expect(try scheme(Self.sha256, Self.sha256, 32, null: []) == .pss(.sha256))
    }

    @Test func areWeakWithSHA1() throws {
        let weak = SignatureScheme.weak("RSASSA-PSS with SHA-1")
        #expect(try scheme(nil, nil, nil) == weak)
        #expect(try scheme(Self.sha1, Self.sha1, 20) == weak)
        #expect(try scheme(Self.sha1, Self.sha256, 32) == weak)
    }

    @Test func areNotSupportedWithOtherParameters() throws {
        let (sha256, sha384) = (Self.sha256, Self.sha384)
        let mask = "another function for the mask than for the hash"
        #expect(try scheme(sha256, nil, 32) == unsupported(mask))
        #expect(try scheme(sha256, Self.sha1, 32) == unsupported(mask))
        #expect(try scheme(sha256, sha384, 32) == unsupported(mask))
        #expect(try scheme(sha256, sha256, 32, mask: [1, 2, 3]) == unsupported(mask))
        #expect(try scheme(sha256, sha256, nil) == unsupported("a salt of 20 bytes"))
        #expect(try scheme(sha256, sha256, 0) == unsupported("a salt of 0 bytes"))
        #expect(try scheme(sha384, sha384, 32) == unsupported("a salt of 32 bytes"))
        #expect(try scheme(sha256, sha256, 32, trailer: 2) == unsupported("the trailer 2"))
        #expect(try scheme([1, 2, 3], [1, 2, 3], 32) == unsupported("the hash function 1.2.3"))
        #expect(try scheme(sha256, sha256, 32, null: [12, 1, 97]) == unsupported("damaged parameters"))
        let null = try DER.parse([5, 0] as [UInt8])
        #expect(PSSSignature.scheme(parameters: null) == unsupported("damaged parameters"))
        #expect(PSSSignature.scheme(parameters: nil) == .unsupported("RSASSA-PSS without parameters"))
    }

    private func unsupported(_ text: String) -> SignatureScheme { .unsupported("RSASSA-PSS with \(text)") }

    /// Returns the scheme with these parameters, of which `nil` stands for an absent one.
    private func scheme(
        _ hash: ASN1ObjectIdentifier?,
        _ maskHash: ASN1ObjectIdentifier?,
        _ salt: Int?,
        trailer: Int? = nil,
        mask: ASN1ObjectIdentifier = PSSSignatureTests.mgf1,
        null: [UInt8] = [5, 0]
    ) throws -> SignatureScheme {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { members in
            if let hash {
                members.appendConstructedNode(identifier: .context(0)) { tagged in
                    tagged.serializeRawBytes(TestTemplate.identifier(hash, parameters: null))
                }
            }
            if let maskHash {
                let function = TestTemplate.identifier(maskHash, parameters: null)
                members.appendConstructedNode(identifier: .context(1)) { tagged in
                    tagged.serializeRawBytes(TestTemplate.identifier(mask, parameters: function))
                }
            }
            if let salt {
                try members.appendConstructedNode(identifier: .context(2)) { try $0.serialize(salt) }
            }
            if let trailer {
                try members.appendConstructedNode(identifier: .context(3)) { try $0.serialize(trailer) }
            }
        }
        return PSSSignature.scheme(parameters: try DER.parse(serializer.serializedBytes))
    }
}
