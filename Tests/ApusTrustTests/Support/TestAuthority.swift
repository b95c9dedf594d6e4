internal import ApusCore
internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

@testable internal import ApusTrust

/// An owner of a key and a name, who issues certificates.
struct TestAuthority {
    /// The time at which the paths of the tests are checked.
    static let moment = Date(timeIntervalSince1970: 1_800_000_000)

    let name: [RelativeDistinguishedName]
    let key: Certificate.PrivateKey

    /// - Parameters:
    ///   - name: The common name.
    ///   - key: The key. Default: a new one on P-256.
    init(_ name: String, key: Certificate.PrivateKey = TestAuthority.newKey()) {
        self.name = Self.name(name)
        self.key = key
    }

    static func newKey() -> Certificate.PrivateKey { Certificate.PrivateKey(P256.Signing.PrivateKey()) }

    static func name(_ commonName: String) -> [RelativeDistinguishedName] {
        [RelativeDistinguishedName(.init(type: [2, 5, 4, 3], utf8String: commonName))]
    }

    /// Issues its own certificate.
    func root(_ change: (inout TestTemplate) throws -> Void = { _ in }) throws -> ParsedCertificate {
        try authority(self, change)
    }

    /// Issues a certificate for an authority.
    func authority(
        _ other: TestAuthority,
        _ change: (inout TestTemplate) throws -> Void = { _ in }
    ) throws -> ParsedCertificate {
        var template = TestTemplate(subject: other.name)
        template.publicKeyInfo = try other.publicKeyInfo()
        template.extensions = [
            try Certificate.Extension(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true),
            try Certificate.Extension(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
        ]
        try change(&template)
        return try issue(template)
    }

    /// Issues a certificate for the server `a.example`.
    func server(_ change: (inout TestTemplate) throws -> Void = { _ in }) throws -> ParsedCertificate {
        var template = TestTemplate(subject: [])
        template.publicKeyInfo = try TestAuthority("server").publicKeyInfo()
        template.extensions = [
            try Certificate.Extension(SubjectAlternativeNames([.dnsName("a.example")]), critical: false)
        ]
        try change(&template)
        return try issue(template)
    }

    func publicKeyInfo() throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(key.publicKey)
        return serializer.serializedBytes
    }

    func issue(_ template: TestTemplate) throws -> ParsedCertificate {
        try ParsedCertificate(derBytes: try bytes(template))
    }

    /// Returns a certificate in DER.
    func bytes(_ template: TestTemplate) throws -> [UInt8] {
        let contents = try template.contents(issuer: template.issuer ?? name)
        var signature = try key.sign(bytes: contents, signatureAlgorithm: template.algorithm).rawRepresentation
        if template.isSignatureBroken { signature[signature.count - 1] ^= 1 }
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { serializer in
            serializer.serializeRawBytes(contents)
            serializer.serializeRawBytes(template.outerAlgorithmBytes ?? template.algorithmBytes)
            try serializer.serialize(ASN1BitString(bytes: signature[...]))
        }
        return serializer.serializedBytes
    }
}

/// Roots for a test.
struct TestAnchors: AnchorSource {
    let certificates: [ParsedCertificate]

    init(_ certificates: [ParsedCertificate]) { self.certificates = certificates }

    func anchors(named subject: [UInt8]) throws(ApusError) -> [ParsedCertificate] {
        certificates.filter { $0.subjectBytes == subject }
    }

    func contains(_ certificate: [UInt8]) throws(ApusError) -> Bool {
        certificates.contains { $0.derBytes == certificate }
    }
}

/// Returns the path from the server's certificate to a root, at the time of the tests.
func builtPath(
    _ leaf: ParsedCertificate,
    _ presented: [ParsedCertificate],
    _ roots: [ParsedCertificate],
    host: String? = "a.example",
    limits: PathLimits = PathLimits()
) throws -> Result<[ParsedCertificate], CertificateRejection> {
    try PathBuilder.build(
        leaf: leaf,
        presented: presented,
        anchors: TestAnchors(roots),
        host: host,
        at: TestAuthority.moment,
        limits: limits
    )
}

extension Result where Success == [ParsedCertificate], Failure == CertificateRejection {
    /// The reason for which there is no path.
    var rejection: CertificateRejection? {
        if case .failure(let rejection) = self { rejection } else { nil }
    }
}
