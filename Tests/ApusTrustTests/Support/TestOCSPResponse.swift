internal import ApusCore
internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

@testable internal import ApusTrust

/// The response of an OCSP responder, with everything that a test may change.
struct TestOCSPResponse: Sendable {
    enum Status: Sendable {
        case good
        /// Revoked, in seconds after the moment.
        case revoked(Int)
        case unknown
    }

    /// The time that all others are relative to.
    var moment = TestAuthority.moment
    /// The status of the response as a whole. Only a successful one, 0, has an answer.
    var responseStatus: UInt8 = 0
    var status = Status.good
    var thisUpdate = -3600
    var nextUpdate: Int? = 3600
    var producedAt = -3600
    /// The serial number. `nil` for that of the certificate.
    var serialNumber: Int?
    /// The authority in the identifier of the certificate. `nil` for the one that has issued it.
    var namedIssuer: TestAuthority?
    var hashesWithSHA256 = false
    var namesResponderByKey = false
    var algorithm = TestTemplate.identifier([1, 2, 840, 10045, 4, 3, 2])
    var isSignatureBroken = false
    var hasCriticalExtension = false
    /// The certificates that are sent along, in DER.
    var certificates: [[UInt8]] = []

    /// Returns the response in DER.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that it is about.
    ///   - issuer: The authority that has issued the certificate.
    ///   - signer: The responder that signs it.
    /// - Returns: The response.
    /// - Throws: An error if a part can't be encoded or signed.
    func bytes(
        about certificate: ParsedCertificate,
        of issuer: TestAuthority,
        signedBy signer: TestAuthority
    ) throws -> [UInt8] {
        let contents = try self.contents(certificate, namedIssuer ?? issuer, signer)
        var signature = try signer.key.sign(bytes: contents, signatureAlgorithm: .ecdsaWithSHA256).rawRepresentation
        if isSignatureBroken { signature[signature.count - 1] ^= 1 }
        var basic = DER.Serializer()
        try basic.appendConstructedNode(identifier: .sequence) { members in
            members.serializeRawBytes(contents)
            members.serializeRawBytes(algorithm)
            try members.serialize(ASN1BitString(bytes: signature[...]))
            if !certificates.isEmpty {
                members.appendConstructedNode(identifier: .context(0)) { tagged in
                    tagged.appendConstructedNode(identifier: .sequence) { list in
                        for certificate in certificates { list.serializeRawBytes(certificate) }
                    }
                }
            }
        }
        let basicBytes = basic.serializedBytes
        var response = DER.Serializer()
        try response.appendConstructedNode(identifier: .sequence) { members in
            members.appendPrimitiveNode(identifier: .enumerated) { $0.append(responseStatus) }
            guard responseStatus == 0 else { return }
            try members.appendConstructedNode(identifier: .context(0)) { tagged in
                try tagged.appendConstructedNode(identifier: .sequence) { parts in
                    let kind: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 1]
                    try parts.serialize(kind)
                    try parts.serialize(ASN1OctetString(contentBytes: basicBytes[...]))
                }
            }
        }
        return response.serializedBytes
    }

    private func contents(
        _ certificate: ParsedCertificate,
        _ issuer: TestAuthority,
        _ signer: TestAuthority
    ) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { data in
            if namesResponderByKey {
                let hash = Array(Insecure.SHA1.hash(data: signer.key.publicKey.subjectPublicKeyInfoBytes))
                try data.appendConstructedNode(identifier: .context(2)) { tagged in
                    try tagged.serialize(ASN1OctetString(contentBytes: hash[...]))
                }
            } else {
                try data.appendConstructedNode(identifier: .context(1)) { tagged in
                    try tagged.serializeSequenceOf(signer.name)
                }
            }
            try data.serialize(time(producedAt))
            try data.appendConstructedNode(identifier: .sequence) { list in
                try list.appendConstructedNode(identifier: .sequence) { single in
                    try writeAnswer(to: &single, certificate, issuer)
                }
            }
            if hasCriticalExtension {
                let unknown = Certificate.Extension(oid: [1, 2, 3, 4], critical: true, value: [5, 0])
                try data.appendConstructedNode(identifier: .context(1)) { tagged in
                    try tagged.serializeSequenceOf([unknown])
                }
            }
        }
        return serializer.serializedBytes
    }

    private func writeAnswer(
        to single: inout DER.Serializer,
        _ certificate: ParsedCertificate,
        _ issuer: TestAuthority
    ) throws {
        let sha256 = TestTemplate.identifier([2, 16, 840, 1, 101, 3, 4, 2, 1])
        let sha1 = TestTemplate.identifier([1, 3, 14, 3, 2, 26], parameters: [5, 0])
        var name = DER.Serializer()
        try name.serializeSequenceOf(issuer.name)
        let nameHash = hash(of: name.serializedBytes)
        let keyHash = hash(of: Array(issuer.key.publicKey.subjectPublicKeyInfoBytes))
        try single.appendConstructedNode(identifier: .sequence) { identifier in
            identifier.serializeRawBytes(hashesWithSHA256 ? sha256 : sha1)
            try identifier.serialize(ASN1OctetString(contentBytes: nameHash[...]))
            try identifier.serialize(ASN1OctetString(contentBytes: keyHash[...]))
            if let serialNumber {
                try identifier.serialize(serialNumber)
            } else {
                identifier.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: certificate.serialNumber) }
            }
        }
        switch status {
        case .good: single.appendPrimitiveNode(identifier: .context(0)) { _ in }
        case .revoked(let offset):
            try single.appendConstructedNode(identifier: .context(1)) { try $0.serialize(time(offset)) }
        case .unknown: single.appendPrimitiveNode(identifier: .context(2)) { _ in }
        }
        try single.serialize(time(thisUpdate))
        if let nextUpdate {
            try single.appendConstructedNode(identifier: .context(0)) { try $0.serialize(time(nextUpdate)) }
        }
    }

    private func hash(of bytes: [UInt8]) -> [UInt8] {
        hashesWithSHA256 ? Array(SHA256.hash(data: bytes)) : Array(Insecure.SHA1.hash(data: bytes))
    }

    private func time(_ offset: Int) throws -> GeneralizedTime {
        let seconds = Int(moment.timeIntervalSince1970) + offset
        let date = CivilDate(daysSince1970: seconds / 86_400)
        let second = seconds % 86_400
        return try GeneralizedTime(
            year: date.year,
            month: date.month,
            day: date.day,
            hours: second / 3600,
            minutes: second / 60 % 60,
            seconds: second % 60,
            fractionalSeconds: 0
        )
    }
}

extension TestTemplate {
    /// Names an OCSP responder.
    mutating func setResponder(_ url: String) throws {
        let description = AuthorityInformationAccess.AccessDescription(
            method: .ocspServer,
            location: .uniformResourceIdentifier(url)
        )
        set(try Certificate.Extension(AuthorityInformationAccess([description]), critical: false))
    }
}

extension TestAuthority {
    /// Issues a certificate for a responder.
    func responder(
        _ other: TestAuthority,
        purposes: [ExtendedKeyUsage.Usage] = [.ocspSigning],
        _ change: (inout TestTemplate) throws -> Void = { _ in }
    ) throws -> ParsedCertificate {
        var template = TestTemplate(subject: other.name)
        template.publicKeyInfo = try other.publicKeyInfo()
        if !purposes.isEmpty { try template.setPurposes(purposes) }
        try change(&template)
        return try issue(template)
    }
}
