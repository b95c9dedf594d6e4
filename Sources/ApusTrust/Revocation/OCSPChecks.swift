internal import ApusCore
internal import Foundation
internal import SwiftASN1

/// The checks of a response about a certificate, RFC 6960 §3.2.
enum OCSPChecks {
    /// The status in a response, and the time until which it is valid. `nil` if it has no end.
    struct Verdict {
        let status: RevocationStatus
        let end: Date?
    }

    private static let signingPurpose: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 9]

    /// Checks a response.
    ///
    /// - Parameters:
    ///   - derBytes: The response in DER.
    ///   - identifier: The certificate that was asked for.
    ///   - issuer: The certificate of its authority.
    ///   - date: The time at which the response must be valid.
    /// - Returns: The status of the certificate.
    /// - Throws: `malformed` or `revocationUnknown` if the response can't be relied on.
    static func verdict(
        of derBytes: [UInt8],
        about identifier: OCSPCertificateID,
        issuer: ParsedCertificate,
        at date: Date
    ) throws(CertificateRejection) -> Verdict {
        let response = try OCSPResponse(derBytes: derBytes, about: identifier)
        if case .weak(let name) = response.signatureScheme {
            throw CertificateRejection.revocationUnknown("answers with a signature by \(name), which can be forged")
        }
        guard isAuthentic(response, issuer: issuer, at: date) else {
            throw CertificateRejection.revocationUnknown("answers without a signature by the authority or its delegate")
        }
        let end = try Self.end(of: response, at: date)
        switch response.answer.status {
        case .good: return Verdict(status: .good, end: end)
        case .revoked(let time):
            return Verdict(status: .revoked(on: Date(timeIntervalSince1970: Double(time))), end: end)
        case .unknown: throw CertificateRejection.revocationUnknown("does not know the certificate")
        }
    }

    /// Returns the end of a response.
    ///
    /// - Throws: `revocationUnknown` if it is not valid at this time.
    private static func end(of response: OCSPResponse, at date: Date) throws(CertificateRejection) -> Date? {
        let now = date.timeIntervalSince1970
        let begin = Double(response.answer.thisUpdate)
        let earliest = max(begin, Double(response.producedAt))
        guard earliest <= now + RevocationLimits.clockSkew else {
            throw CertificateRejection.revocationUnknown("answers with a status of the future")
        }
        guard let nextUpdate = response.answer.nextUpdate else {
            // RFC 6960 §4.2.2.1: there is always a newer one, so an old one may be a replay.
            guard begin >= now - RevocationLimits.openAnswerAge else {
                throw CertificateRejection.revocationUnknown("answers with an outdated status")
            }
            return nil
        }
        let end = Double(nextUpdate)
        guard end >= begin, end >= now - RevocationLimits.clockSkew else {
            throw CertificateRejection.revocationUnknown("answers with an outdated status")
        }
        return Date(timeIntervalSince1970: end)
    }

    /// Whether a response is signed by the authority, or by a responder that the authority has authorized.
    private static func isAuthentic(_ response: OCSPResponse, issuer: ParsedCertificate, at date: Date) -> Bool {
        if issuer.isNamed(by: response.responder), isSigned(response, by: issuer) { return true }
        return response.certificates.contains { responder in
            responder.isNamed(by: response.responder) && isDelegate(responder, of: issuer, at: date)
                && isSigned(response, by: responder)
        }
    }

    /// Whether an authority has authorized a responder itself, RFC 6960 §4.2.2.2. Any purpose is not enough. The
    /// certificate of a responder is not checked for its revocation, as `id-pkix-ocsp-nocheck` would ask for.
    private static func isDelegate(
        _ responder: ParsedCertificate,
        of issuer: ParsedCertificate,
        at date: Date
    ) -> Bool {
        responder.issuerBytes == issuer.subjectBytes
            && responder.extensions.purposes?.contains(signingPurpose) == true
            && responder.extensions.keyUsage?.contains(.digitalSignature) != false
            && responder.extensions.unknownCritical == nil
            && responder.validityRejection(at: date) == nil
            && responder.isSigned(by: issuer)
    }

    private static func isSigned(_ response: OCSPResponse, by signer: ParsedCertificate) -> Bool {
        signer.hasSigned(response.signedBytes, signature: response.signature, by: response.signatureScheme)
    }
}
