internal import ApusCore
internal import Foundation
internal import SwiftASN1
internal import X509

@testable internal import ApusTrust

/// The contents of a certificate, with everything that a test may change.
///
/// It is encoded here and not by X509, which writes no certificate that its own rules exclude.
struct TestTemplate {
    /// The encoded version: 2 is version 3.
    var version = 2
    var serialNumber = 1
    var subject: [RelativeDistinguishedName]
    /// The issuer. `nil` for the name of the authority.
    var issuer: [RelativeDistinguishedName]?
    /// The begin of the validity, in seconds after the time of the tests.
    var validFrom = -86_400
    /// The end of the validity, in seconds after the time of the tests.
    var validTo = 86_400
    var publicKeyInfo: [UInt8] = []
    var extensions: [Certificate.Extension] = []
    /// The algorithm with which it is signed.
    var algorithm = Certificate.SignatureAlgorithm.ecdsaWithSHA256
    /// The algorithm that the certificate names. By default that of ECDSA with SHA-256.
    var algorithmBytes = TestTemplate.identifier([1, 2, 840, 10045, 4, 3, 2])
    /// The algorithm that it names outside of the signed part. `nil` for the same.
    var outerAlgorithmBytes: [UInt8]?
    var isSignatureBroken = false

    init(subject: [RelativeDistinguishedName]) { self.subject = subject }

    /// Replaces or adds an extension.
    mutating func set(_ added: Certificate.Extension) {
        extensions.removeAll { $0.oid == added.oid }
        extensions.append(added)
    }

    mutating func removeExtension(_ identifier: ASN1ObjectIdentifier) {
        extensions.removeAll { $0.oid == identifier }
    }

    mutating func setNames(_ names: [GeneralName]) throws {
        set(try Certificate.Extension(SubjectAlternativeNames(names), critical: false))
    }

    mutating func setPathLength(_ length: Int?) throws {
        set(try Certificate.Extension(BasicConstraints.isCertificateAuthority(maxPathLength: length), critical: true))
    }

    mutating func setPurposes(_ purposes: [ExtendedKeyUsage.Usage]) throws {
        set(try Certificate.Extension(ExtendedKeyUsage(purposes), critical: false))
    }

    mutating func setConstraints(
        permitted: [GeneralName] = [],
        excluded: [GeneralName] = [],
        isCritical: Bool = true
    ) throws {
        let constraints = NameConstraints(permittedSubtrees: permitted, excludedSubtrees: excluded)
        set(try Certificate.Extension(constraints, critical: isCritical))
    }

    /// Returns the encoded identifier of an algorithm.
    static func identifier(_ algorithm: ASN1ObjectIdentifier, parameters: [UInt8] = []) -> [UInt8] {
        var serializer = DER.Serializer()
        // Writing an identifier can't fail.
        try? serializer.appendConstructedNode(identifier: .sequence) { serializer in
            try serializer.serialize(algorithm)
            serializer.serializeRawBytes(parameters)
        }
        return serializer.serializedBytes
    }

    /// Returns the encoded key of an algorithm, which need not be a usable one.
    static func keyInfo(_ algorithm: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { serializer in
            serializer.serializeRawBytes(algorithm)
            try serializer.serialize(ASN1BitString(bytes: key[...]))
        }
        return serializer.serializedBytes
    }

    /// Returns an encoded RSA key whose modulus has this number of bits.
    static func rsaKeyInfo(bits: Int) throws -> [UInt8] {
        var modulus = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
        modulus[0] >>= UInt8(modulus.count * 8 - bits)
        var key = DER.Serializer()
        try key.appendConstructedNode(identifier: .sequence) { key in
            key.appendPrimitiveNode(identifier: .integer) { bytes in
                if modulus[0] & 0x80 != 0 { bytes.append(0) }
                bytes += modulus
            }
            try key.serialize(65_537)
        }
        return try keyInfo(identifier([1, 2, 840, 113549, 1, 1, 1], parameters: [5, 0]), key.serializedBytes)
    }

    /// Returns the signed part in DER.
    func contents(issuer: [RelativeDistinguishedName]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { serializer in
            if version > 0 {
                try serializer.serialize(version, explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific)
            }
            try serializer.serialize(serialNumber)
            serializer.serializeRawBytes(algorithmBytes)
            try serializer.serializeSequenceOf(issuer)
            try serializer.appendConstructedNode(identifier: .sequence) { serializer in
                try serializer.serialize(Self.time(validFrom))
                try serializer.serialize(Self.time(validTo))
            }
            try serializer.serializeSequenceOf(subject)
            serializer.serializeRawBytes(publicKeyInfo)
            if !extensions.isEmpty {
                try serializer.serialize(explicitlyTaggedWithTagNumber: 3, tagClass: .contextSpecific) { serializer in
                    try serializer.serializeSequenceOf(extensions)
                }
            }
        }
        return serializer.serializedBytes
    }

    private static func time(_ offset: Int) throws -> UTCTime {
        let seconds = Int(TestAuthority.moment.timeIntervalSince1970) + offset
        let date = CivilDate(daysSince1970: seconds / 86_400)
        let second = seconds % 86_400
        return try UTCTime(
            year: date.year,
            month: date.month,
            day: date.day,
            hours: second / 3600,
            minutes: second / 60 % 60,
            seconds: second % 60
        )
    }
}
