package import ApusCore
package import Foundation
internal import SwiftASN1
package import X509

/// A certificate, read as far as the checks of a path need it. RFC 5280 §4.1.
///
/// X509's `Certificate` refuses to read one with an algorithm that it does not support, such as MD5, or with a short
/// key. This type reads it, so that the reason can be named. Two certificates are equal if their bytes are.
///
/// It is a class, since a search for a path copies certificates often, and so that it can keep what follows from its
/// bytes alone: its decoded key, and the key that its signature was made with.
package final class ParsedCertificate: Sendable, Hashable {
    /// Facts that were learned since it was read. They hold at any time, unlike a verdict.
    private struct Knowledge {
        var publicKey: Certificate.PublicKey?
        /// The public key that its signature was made with, with the algorithm, in DER.
        var signingKey: [UInt8]?
    }

    /// The certificate in DER.
    package let derBytes: [UInt8]
    /// The signed part.
    package let signedBytes: ArraySlice<UInt8>
    /// The signature.
    package let signature: ArraySlice<UInt8>
    /// The algorithm of the signature.
    package let signatureScheme: SignatureScheme
    /// Its version, from 1 to 3.
    package let version: Int
    /// The bytes of the serial number.
    package let serialNumber: ArraySlice<UInt8>
    /// The name of the authority that has issued it, in DER.
    package let issuerBytes: [UInt8]
    /// The name of the authority that has issued it.
    package let issuerName: [RelativeDistinguishedName]
    /// The name of its owner, in DER.
    package let subjectBytes: [UInt8]
    /// The name of its owner.
    package let subjectName: [RelativeDistinguishedName]
    /// The begin of its validity, in seconds since 1970.
    package let validFrom: Int
    /// The end of its validity, in seconds since 1970.
    package let validTo: Int
    /// Its public key with the algorithm (`SubjectPublicKeyInfo`), in DER.
    package let publicKeyInfo: [UInt8]
    /// Whether its public key can be relied on.
    package let keyStrength: KeyStrength
    /// Its extensions.
    package let extensions: CertificateExtensions

    private let knowledge: Lock<Knowledge>

    /// Reads a certificate.
    ///
    /// - Parameter derBytes: The certificate in DER.
    /// - Throws: `malformed` if it can't be read.
    package init(derBytes: [UInt8]) throws(CertificateRejection) {
        guard let root = try? DER.parse(derBytes) else { throw CertificateRejection.malformed("it is not DER") }
        var parts = try DERMembers(of: root, in: "structure")
        let contents = try parts.next()
        var members = try DERMembers(of: contents, in: "contents")
        let algorithm = try parts.next()
        let signatureNode = try parts.next()
        try parts.requireEnd()

        self.derBytes = derBytes
        signedBytes = contents.encodedBytes
        signature = try Self.signatureBytes(signatureNode)
        signatureScheme = try Self.scheme(algorithm)
        version = try Self.version(members.next(if: .context(0)))
        serialNumber = try Self.serialNumber(try members.next())
        // The signature does not cover the algorithm outside of the signed part: RFC 5280 §4.1.1.2.
        guard try members.next().encodedBytes == algorithm.encodedBytes else {
            throw CertificateRejection.malformed("its two signature algorithms differ")
        }
        let issuer = try members.next()
        issuerBytes = Array(issuer.encodedBytes)
        issuerName = try Self.name(issuer, "issuer")
        var validity = try DERMembers(of: try members.next(), in: "validity")
        validFrom = try Self.seconds(try validity.next())
        validTo = try Self.seconds(try validity.next())
        try validity.requireEnd()
        let subject = try members.next()
        subjectBytes = Array(subject.encodedBytes)
        subjectName = try Self.name(subject, "subject")
        let keyInfo = try members.next()
        publicKeyInfo = Array(keyInfo.encodedBytes)
        keyStrength = try KeyStrength(of: keyInfo)
        // The unique identifiers of version 2 have no use.
        _ = members.next(if: .context(1))
        _ = members.next(if: .context(2))
        extensions = try Self.extensions(members.next(if: .context(3)), version: version)
        try members.requireEnd()
        knowledge = Lock(Knowledge())
    }

    package static func == (one: ParsedCertificate, other: ParsedCertificate) -> Bool {
        one === other || one.derBytes == other.derBytes
    }

    // The signature depends on all other bytes, and is shorter.
    package func hash(into hasher: inout Hasher) {
        signature.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    // MARK: Signatures

    /// Whether its signature was made with the key of `issuer`. `false` if an algorithm is not usable.
    ///
    /// The signature is checked once for a key. Whether it counts is decided anew for each path.
    package func isSigned(by issuer: ParsedCertificate) -> Bool {
        if let known = knowledge.withLock({ $0.signingKey }), known == issuer.publicKeyInfo { return true }
        guard issuer.hasSigned(signedBytes, signature: signature, by: signatureScheme) else { return false }
        knowledge.withLock { $0.signingKey = issuer.publicKeyInfo }
        return true
    }

    /// Whether a signature was made with its key. `false` if an algorithm is not usable.
    func hasSigned(_ bytes: ArraySlice<UInt8>, signature: ArraySlice<UInt8>, by scheme: SignatureScheme) -> Bool {
        guard scheme.isUsable, keyStrength == .usable, let key = decodedKey() else { return false }
        switch scheme {
        case .usable(let algorithm):
            return key.isValidSignature(signature, for: bytes, signatureAlgorithm: algorithm)
        case .pss(let algorithm): return algorithm.isValid(signature, for: bytes, by: key)
        case .weak, .unsupported: return false
        }
    }

    /// Returns its public key, which is decoded once. `nil` if it can't be decoded.
    private func decodedKey() -> Certificate.PublicKey? {
        if let known = knowledge.withLock({ $0.publicKey }) { return known }
        // Outside of the lock. Two threads may decode the same key.
        guard let key = try? Certificate.PublicKey(derEncoded: publicKeyInfo) else { return nil }
        knowledge.withLock { $0.publicKey = key }
        return key
    }

    // MARK: Parts

    static func signatureBytes(_ node: ASN1Node) throws(CertificateRejection) -> ArraySlice<UInt8> {
        let bits = try CertificateRejection.reading("signature") { try ASN1BitString(derEncoded: node) }
        guard bits.paddingBits == 0 else { throw CertificateRejection.unreadable("signature") }
        return bits.bytes
    }

    static func scheme(_ node: ASN1Node) throws(CertificateRejection) -> SignatureScheme {
        let part = "signature algorithm"
        var members = try DERMembers(of: node, in: part)
        let identifier = try members.next()
        let parameters = members.nextIfAny()
        try members.requireEnd()
        return try CertificateRejection.reading(part) {
            SignatureScheme(try ASN1ObjectIdentifier(derEncoded: identifier), parameters: parameters)
        }
    }

    private static func version(_ tagged: ASN1Node?) throws(CertificateRejection) -> Int {
        guard let tagged else { return 1 }
        var members = try DERMembers(of: tagged, .context(0), in: "version")
        let node = try members.next()
        try members.requireEnd()
        let number = try CertificateRejection.reading("version") { try Int(derEncoded: node) }
        guard (0...2).contains(number) else { throw CertificateRejection.malformed("its version is unknown") }
        return number + 1
    }

    private static func serialNumber(_ node: ASN1Node) throws(CertificateRejection) -> ArraySlice<UInt8> {
        guard node.identifier == .integer, case .primitive(let bytes) = node.content, let first = bytes.first else {
            throw CertificateRejection.unreadable("serial number")
        }
        // A number has one encoding in DER. Negative numbers and zero are not allowed, but occur: RFC 5280 §4.1.2.2.
        if let second = bytes.dropFirst().first, first == (second & 0x80 == 0 ? 0x00 : 0xFF) {
            throw CertificateRejection.unreadable("serial number")
        }
        return bytes
    }

    /// The maximum number of attributes in one part of a name. Almost all parts have one.
    static let maximumAttributes = 8
    /// The maximum size of a name.
    private static let maximumNameBytes = 8 << 10

    private static func name(
        _ node: ASN1Node,
        _ part: String
    ) throws(CertificateRejection) -> [RelativeDistinguishedName] {
        guard node.encodedBytes.count <= maximumNameBytes else { throw CertificateRejection.unreadable(part) }
        let name = try CertificateRejection.reading(part) {
            try DER.sequence(of: RelativeDistinguishedName.self, identifier: .sequence, rootNode: node)
        }
        guard name.allSatisfy({ $0.count <= maximumAttributes }) else { throw CertificateRejection.unreadable(part) }
        return name
    }

    static func seconds(_ node: ASN1Node) throws(CertificateRejection) -> Int {
        try CertificateRejection.reading("validity") {
            if node.identifier == .utcTime {
                let time = try UTCTime(derEncoded: node)
                return try seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
            }
            let time = try GeneralizedTime(derEncoded: node)
            guard time.rawFractionalSeconds.isEmpty else { throw CertificateRejection.unreadable("validity") }
            return try seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
        }
    }

    private static func seconds(
        _ year: Int,
        _ month: Int,
        _ day: Int,
        _ hour: Int,
        _ minute: Int,
        _ second: Int
    ) throws(CertificateRejection) -> Int {
        guard let date = CivilDate(year: year, month: month, day: day) else {
            throw CertificateRejection.unreadable("validity")
        }
        return ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
    }

    private static func extensions(
        _ tagged: ASN1Node?,
        version: Int
    ) throws(CertificateRejection) -> CertificateExtensions {
        guard let tagged else { return CertificateExtensions() }
        guard version == 3 else {
            throw CertificateRejection.malformed("it has extensions, but is of version \(version)")
        }
        var members = try DERMembers(of: tagged, .context(3), in: "list of extensions")
        let list = try members.next()
        try members.requireEnd()
        return try CertificateExtensions(reading: list)
    }
}

extension ParsedCertificate {
    /// The begin of its validity.
    package var notValidBefore: Date { Date(timeIntervalSince1970: Double(validFrom)) }

    /// The end of its validity.
    package var notValidAfter: Date { Date(timeIntervalSince1970: Double(validTo)) }

    /// Whether its owner has the name of the authority that has issued it.
    package var isSelfIssued: Bool { issuerBytes == subjectBytes }

    /// Returns the rejection if it is not valid at a time.
    package func validityRejection(at date: Date) -> CertificateRejection? {
        CertificateRejection(validFrom: validFrom, to: validTo, now: date)
    }
}
