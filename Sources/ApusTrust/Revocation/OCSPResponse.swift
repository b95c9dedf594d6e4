internal import ApusCore
internal import SwiftASN1

/// The response of an OCSP responder, RFC 6960 §4.2.1, as far as its checks read it.
struct OCSPResponse {
    /// The responder that has signed it.
    enum Responder {
        /// The responder with this name, in DER.
        case name([UInt8])
        /// The responder whose public key has this SHA-1 hash.
        case key([UInt8])
    }

    /// The answer about one certificate.
    struct Answer {
        enum Status {
            case good
            /// Revoked at this time, in seconds since 1970.
            case revoked(Int)
            /// The responder does not know the certificate.
            case unknown
        }

        let status: Status
        /// The time at which the status was known to be correct, in seconds since 1970.
        let thisUpdate: Int
        /// The time at or before which there will be a newer one, in seconds since 1970. `nil` if it is always there.
        let nextUpdate: Int?
    }

    /// The signed part.
    let signedBytes: ArraySlice<UInt8>
    /// The algorithm of the signature.
    let signatureScheme: SignatureScheme
    /// The signature.
    let signature: ArraySlice<UInt8>
    /// The certificates that the responder has sent along. Those that can't be read are left out.
    let certificates: [ParsedCertificate]
    /// The responder that has signed it.
    let responder: Responder
    /// The time at which it was signed, in seconds since 1970.
    let producedAt: Int
    /// The answer about the certificate.
    let answer: Answer

    private static let part = "response"
    private static let basicType: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 1]

    /// Reads a response.
    ///
    /// - Parameters:
    ///   - derBytes: The response in DER.
    ///   - identifier: The certificate that was asked for.
    /// - Throws: `malformed` if it can't be read, or `revocationUnknown` if it is an error or is not about the
    ///   certificate.
    init(derBytes: [UInt8], about identifier: OCSPCertificateID) throws(CertificateRejection) {
        let basic = try Self.basicResponse(in: derBytes)
        var parts = try DERMembers(of: basic, in: Self.part)
        let contents = try parts.next()
        signedBytes = contents.encodedBytes
        signatureScheme = try ParsedCertificate.scheme(try parts.next())
        signature = try ParsedCertificate.signatureBytes(try parts.next())
        certificates = try Self.certificates(parts.next(if: .context(0)))
        try parts.requireEnd()

        var members = try DERMembers(of: contents, in: Self.part)
        try Self.requireFirstVersion(members.next(if: .context(0)))
        responder = try Self.responder(try members.next())
        producedAt = try ParsedCertificate.seconds(try members.next())
        answer = try Self.answer(in: try members.next(), about: identifier)
        try Self.requireKnownExtensions(members.next(if: .context(1)))
        try members.requireEnd()
    }

    // MARK: Parts

    private static func basicResponse(in derBytes: [UInt8]) throws(CertificateRejection) -> ASN1Node {
        guard let root = try? DER.parse(derBytes) else { throw CertificateRejection.malformed("it is not DER") }
        var members = try DERMembers(of: root, in: part)
        try requireSuccess(try members.next())
        guard let tagged = members.next(if: .context(0)) else { throw CertificateRejection.unreadable(part) }
        try members.requireEnd()
        var parts = try DERMembers(of: try onlyMember(of: tagged), in: part)
        let kind = try parts.next()
        let bytes = try parts.next()
        try parts.requireEnd()
        return try CertificateRejection.reading(part) {
            guard try ASN1ObjectIdentifier(derEncoded: kind) == basicType else {
                throw CertificateRejection.unreadable(part)
            }
            return try DER.parse(try ASN1OctetString(derEncoded: bytes).bytes)
        }
    }

    /// Throws the error that the responder has reported.
    private static func requireSuccess(_ node: ASN1Node) throws(CertificateRejection) {
        guard node.identifier == .enumerated, case .primitive(let bytes) = node.content, bytes.count == 1,
            let code = bytes.first
        else {
            throw CertificateRejection.unreadable(part)
        }
        let text: String
        switch code {
        case 0: return
        case 1: text = "finds the request malformed"
        case 2: text = "has an internal error"
        case 3: text = "is busy"
        case 5: text = "requires signed requests"
        case 6: text = "may not answer the request"
        default: text = "reports an unknown error"
        }
        throw CertificateRejection.revocationUnknown(text)
    }

    private static func requireFirstVersion(_ tagged: ASN1Node?) throws(CertificateRejection) {
        guard let tagged else { return }
        let node = try onlyMember(of: tagged)
        let version = try CertificateRejection.reading(part) { try Int(derEncoded: node) }
        guard version == 0 else { throw CertificateRejection.malformed("its version is unknown") }
    }

    private static func responder(_ node: ASN1Node) throws(CertificateRejection) -> Responder {
        let member = try onlyMember(of: node)
        if node.identifier == .context(1) { return .name(Array(member.encodedBytes)) }
        guard node.identifier == .context(2) else { throw CertificateRejection.unreadable(part) }
        let hash = try CertificateRejection.reading(part) { try ASN1OctetString(derEncoded: member) }
        return .key(Array(hash.bytes))
    }

    private static func answer(
        in list: ASN1Node,
        about identifier: OCSPCertificateID
    ) throws(CertificateRejection) -> Answer {
        var nodes = try DERMembers(of: list, in: part)
        while let node = nodes.nextIfAny() {
            var members = try DERMembers(of: node, in: part)
            guard try identifier.matches(try members.next()) else { continue }
            let status = try Self.status(try members.next())
            let thisUpdate = try ParsedCertificate.seconds(try members.next())
            var nextUpdate: Int?
            if let tagged = members.next(if: .context(0)) {
                nextUpdate = try ParsedCertificate.seconds(try onlyMember(of: tagged))
            }
            try requireKnownExtensions(members.next(if: .context(1)))
            try members.requireEnd()
            return Answer(status: status, thisUpdate: thisUpdate, nextUpdate: nextUpdate)
        }
        throw CertificateRejection.revocationUnknown("answers about another certificate")
    }

    private static func status(_ node: ASN1Node) throws(CertificateRejection) -> Answer.Status {
        if node.identifier == .context(0) { return .good }
        if node.identifier == .context(2) { return .unknown }
        // The reason after the time makes no difference.
        var members = try DERMembers(of: node, .context(1), in: part)
        return .revoked(try ParsedCertificate.seconds(try members.next()))
    }

    private static func requireKnownExtensions(_ tagged: ASN1Node?) throws(CertificateRejection) {
        guard let tagged else { return }
        let extensions = try CertificateExtensions(reading: try onlyMember(of: tagged))
        guard extensions.unknownCritical == nil else {
            throw CertificateRejection.revocationUnknown("answers with a critical extension that is not supported")
        }
    }

    private static func certificates(_ tagged: ASN1Node?) throws(CertificateRejection) -> [ParsedCertificate] {
        guard let tagged else { return [] }
        var nodes = try DERMembers(of: try onlyMember(of: tagged), in: part)
        var found: [ParsedCertificate] = []
        while found.count < RevocationLimits.responderCertificates, let node = nodes.nextIfAny() {
            guard let certificate = try? ParsedCertificate(derBytes: Array(node.encodedBytes)) else { continue }
            found.append(certificate)
        }
        return found
    }

    private static func onlyMember(of node: ASN1Node) throws(CertificateRejection) -> ASN1Node {
        var members = try DERMembers(of: node, node.identifier, in: part)
        let member = try members.next()
        try members.requireEnd()
        return member
    }
}
