internal import ApusCore
internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import ApusTrust

/// Each check at its edge: a valid path with one change.
@Suite struct CertificateChecksTests {
    /// A change of one certificate of a path, and the rejection of this certificate. `nil` if the path remains valid.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rejection: CertificateRejection?
        let apply: @Sendable (inout TestTemplate) throws -> Void

        init(
            _ description: String,
            _ rejection: CertificateRejection? = nil,
            _ apply: @escaping @Sendable (inout TestTemplate) throws -> Void
        ) {
            testDescription = description
            self.rejection = rejection
            self.apply = apply
        }
    }

    private static func date(_ offset: Double) -> Date { TestAuthority.moment.addingTimeInterval(offset) }

    private static func custom(_ identifier: ASN1ObjectIdentifier, critical: Bool) -> Certificate.Extension {
        Certificate.Extension(oid: identifier, critical: critical, value: [5, 0])
    }

    private static func curve(_ curve: ASN1ObjectIdentifier) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(curve)
        let identifier = TestTemplate.identifier([1, 2, 840, 10045, 2, 1], parameters: serializer.serializedBytes)
        return try TestTemplate.keyInfo(identifier, [4, 1, 2])
    }

    /// The changes that concern every certificate of a path.
    static let changesOfAny: [Change] = [
        Change("nothing") { _ in },
        Change("ended a second ago", .expired(on: date(-1))) { $0.validTo = -1 },
        Change("ends now") { $0.validTo = 0 },
        Change("begins in a second", .notYetValid(from: date(1))) { $0.validFrom = 1 },
        Change("begins now") { $0.validFrom = 0 },
        Change("is for clients", .notForServers) { try $0.setPurposes([.clientAuth, .codeSigning]) },
        Change("is for servers and clients") { try $0.setPurposes([.clientAuth, .serverAuth]) },
        Change("is for any purpose") { try $0.setPurposes([.any]) },
        Change("has an unknown critical extension", .unknownCriticalExtension("1.2.3.4")) {
            $0.set(custom([1, 2, 3, 4], critical: true))
        },
        Change("has an unknown extension") { $0.set(custom([1, 2, 3, 4], critical: false)) },
        Change("has critical policies") { $0.set(custom([2, 5, 29, 32], critical: true)) },
        Change("requires a policy", .unknownCriticalExtension("2.5.29.36")) {
            $0.set(custom([2, 5, 29, 36], critical: true))
        },
        Change("is only for certificate transparency", .unknownCriticalExtension("1.3.6.1.4.1.11129.2.4.3")) {
            $0.set(custom([1, 3, 6, 1, 4, 1, 11129, 2, 4, 3], critical: true))
        },
        Change("has a key of 1024 bits", .weak("an RSA key of 1024 bits")) {
            $0.publicKeyInfo = try TestTemplate.rsaKeyInfo(bits: 1024)
        },
        Change("has a key of 2047 bits", .weak("an RSA key of 2047 bits")) {
            $0.publicKeyInfo = try TestTemplate.rsaKeyInfo(bits: 2047)
        },
        Change(
            "has a key of 8193 bits",
            .other("it has a key that is not supported: an RSA key of 8193 bits")
        ) { $0.publicKeyInfo = try TestTemplate.rsaKeyInfo(bits: 8193) },
        Change("has a key on P-224", .weak("a key on the curve P-224")) {
            $0.publicKeyInfo = try curve([1, 3, 132, 0, 33])
        },
        Change(
            "has a key on secp256k1",
            .other("it has a key that is not supported: a key on the curve 1.3.132.0.10")
        ) { $0.publicKeyInfo = try curve([1, 3, 132, 0, 10]) },
    ]

    /// The changes that concern every certificate but the root.
    static let changesOfSigned: [Change] = [
        Change("is signed with SHA-1", .weak("a signature by RSA with SHA-1")) {
            $0.algorithmBytes = TestTemplate.identifier([1, 2, 840, 113549, 1, 1, 5], parameters: [5, 0])
        },
        Change("is signed with MD5", .weak("a signature by RSA with MD5")) {
            $0.algorithmBytes = TestTemplate.identifier([1, 2, 840, 113549, 1, 1, 4], parameters: [5, 0])
        },
        Change("is signed with ECDSA and SHA-1", .weak("a signature by ECDSA with SHA-1")) {
            $0.algorithmBytes = TestTemplate.identifier([1, 2, 840, 10045, 4, 1])
        },
        Change(
            "is signed with RSASSA-PSS without parameters",
            .other("it has a signature that is not supported: RSASSA-PSS without parameters")
        ) { $0.algorithmBytes = TestTemplate.identifier([1, 2, 840, 113549, 1, 1, 10]) },
        Change("is signed with RSASSA-PSS and SHA-1", .weak("a signature by RSASSA-PSS with SHA-1")) {
            $0.algorithmBytes = TestTemplate.identifier([1, 2, 840, 113549, 1, 1, 10], parameters: [0x30, 0])
        },
        Change("has a signature for other bytes", .invalidSignature(issuer: "CN=Root")) {
            $0.isSignatureBroken = true
        },
        Change("has the signature of another algorithm", .invalidSignature(issuer: "CN=Root")) {
            $0.algorithmBytes = TestTemplate.identifier([1, 2, 840, 10045, 4, 3, 3])
        },
    ]

    static let changesOfServer: [Change] = [
        Change("names no host", .wrongHost(names: [])) { $0.removeExtension([2, 5, 29, 17]) },
        Change("names the host only as common name", .wrongHost(names: [])) {
            $0.removeExtension([2, 5, 29, 17])
            $0.subject = TestAuthority.name("a.example")
        },
        Change("names another host", .wrongHost(names: ["b.example", "127.0.0.1"])) {
            try $0.setNames([
                .dnsName("b.example"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                .rfc822Name("a@a.example"),
            ])
        },
        Change("may sign data") {
            $0.set(try Certificate.Extension(KeyUsage(digitalSignature: true), critical: true))
        },
        Change("may encrypt keys") {
            $0.set(try Certificate.Extension(KeyUsage(keyEncipherment: true), critical: true))
        },
        Change("may agree on keys") {
            $0.set(try Certificate.Extension(KeyUsage(keyAgreement: true), critical: true))
        },
        Change("may do nothing of this", .notForServers) {
            $0.set(try Certificate.Extension(KeyUsage(nonRepudiation: true, keyCertSign: true), critical: true))
        },
        Change("has a key of 2048 bits") { $0.publicKeyInfo = try TestTemplate.rsaKeyInfo(bits: 2048) },
        Change("has a key of 8192 bits") { $0.publicKeyInfo = try TestTemplate.rsaKeyInfo(bits: 8192) },
        Change("is an authority too") { try $0.setPathLength(nil) },
        Change("is no authority, with a path length") {
            $0.set(
                Certificate.Extension(oid: [2, 5, 29, 19], critical: true, value: [0x30, 3, 0x02, 1, 0])
            )
        },
        Change("has an encoded default value") {
            $0.set(
                Certificate.Extension(oid: [2, 5, 29, 19], critical: true, value: [0x30, 3, 0x01, 1, 0])
            )
        },
        Change("is of version 1", .wrongHost(names: [])) {
            $0.version = 0
            $0.extensions = []
        },
    ]

    static let changesOfAuthority: [Change] = [
        Change("has no basic constraints", .notAnAuthority) { $0.removeExtension([2, 5, 29, 19]) },
        Change("is no authority", .notAnAuthority) {
            $0.set(try Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: true))
        },
        Change("may not sign certificates", .notAnAuthority) {
            $0.set(try Certificate.Extension(KeyUsage(digitalSignature: true, cRLSign: true), critical: true))
        },
        Change("has no key usage") { $0.removeExtension([2, 5, 29, 15]) },
    ]

    static let changesOfIntermediate: [Change] = [
        Change("is of version 1", .notAnAuthority) {
            $0.version = 0
            $0.extensions = []
        }
    ]

    static let changesOfRoot: [Change] = [
        Change("is of version 1") {
            $0.version = 0
            $0.extensions = []
        },
        Change("is signed with SHA-1") {
            $0.algorithmBytes = TestTemplate.identifier([1, 2, 840, 113549, 1, 1, 5], parameters: [5, 0])
        },
        Change("has a signature for other bytes") { $0.isSignatureBroken = true },
        Change("is signed by another") { $0.issuer = TestAuthority.name("Other") },
    ]

    private let root = TestAuthority("Root")
    private let middle = TestAuthority("Middle")

    @Test(arguments: changesOfAny + changesOfSigned + changesOfServer)
    func checksTheServer(change: Change) throws {
        let leaf = try root.server(change.apply)
        let result = try builtPath(leaf, [], [root.root()])
        #expect(result.rejection == change.rejection)
    }

    @Test(arguments: changesOfAny + changesOfSigned + changesOfAuthority + changesOfIntermediate)
    func checksAnIntermediate(change: Change) throws {
        let presented = [try root.authority(middle, change.apply)]
        let result = try builtPath(middle.server(), presented, [root.root()])
        #expect(result.rejection == change.rejection.map { CertificateRejection.authority(subject: "CN=Middle", $0) })
    }

    @Test(arguments: changesOfAny + changesOfAuthority + changesOfRoot)
    func checksTheRoot(change: Change) throws {
        let result = try builtPath(middle.server(), [root.authority(middle)], [root.root(change.apply)])
        #expect(result.rejection == change.rejection.map { CertificateRejection.authority(subject: "CN=Root", $0) })
    }

    /// The first rejection in the order of the cases is that of the certificate itself.
    @Test func prefersTheReasonOfTheServer() throws {
        let leaf = try root.server {
            $0.validTo = -1
            try $0.setPurposes([.clientAuth])
        }
        #expect(try builtPath(leaf, [], []).rejection == .expired(on: Self.date(-1)))
        let client = try root.server { try $0.setPurposes([.clientAuth]) }
        let old = try root.root { $0.validTo = -1 }
        #expect(try builtPath(client, [], [old]).rejection == .notForServers)
        #expect(try builtPath(client, [], [old], host: "b.example").rejection == .wrongHost(names: ["a.example"]))
        #expect(try builtPath(client, [], []).rejection == .untrustedAuthority(issuer: "Root"))
    }

    static let keys: [(Certificate.PrivateKey, Certificate.SignatureAlgorithm, ASN1ObjectIdentifier)] = [
        (.init(P256.Signing.PrivateKey()), .ecdsaWithSHA384, [1, 2, 840, 10045, 4, 3, 3]),
        (.init(P384.Signing.PrivateKey()), .ecdsaWithSHA384, [1, 2, 840, 10045, 4, 3, 3]),
        (.init(P521.Signing.PrivateKey()), .ecdsaWithSHA512, [1, 2, 840, 10045, 4, 3, 4]),
        (.init(Curve25519.Signing.PrivateKey()), .ed25519, [1, 3, 101, 112]),
    ]

    @Test(arguments: keys)
    func acceptsEachKey(
        key: Certificate.PrivateKey,
        algorithm: Certificate.SignatureAlgorithm,
        identifier: ASN1ObjectIdentifier
    ) throws {
        let authority = TestAuthority("Authority", key: key)
        let change: (inout TestTemplate) -> Void = {
            $0.algorithm = algorithm
            $0.algorithmBytes = TestTemplate.identifier(identifier)
        }
        let leaf = try authority.server(change)
        #expect(try builtPath(leaf, [], [authority.root(change)]).rejection == nil)
    }
}
