internal import ApusCore
internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

extension ParsedCertificate {
    /// The first OCSP responder that it names and that can be asked: with an `http` URL without a user name.
    ///
    /// A responder over TLS would have a certificate to check too. Responses are signed, so they need no TLS.
    var responder: TargetURI? {
        guard let found = extensions.all.first(where: { $0.oid == .X509ExtensionID.authorityInformationAccess }),
            let descriptions = try? AuthorityInformationAccess(found)
        else { return nil }
        for description in descriptions where description.method == .ocspServer {
            guard case .uniformResourceIdentifier(let text) = description.location,
                text.utf8.count <= RevocationLimits.urlBytes, let target = try? TargetURI(text),
                target.origin.scheme == .http, target.userInformation == nil
            else { continue }
            return target
        }
        return nil
    }

    /// Returns the bits of its public key, without the algorithm, by which OCSP identifies it.
    ///
    /// - Throws: `malformed` if they can't be read.
    func publicKeyBits() throws(CertificateRejection) -> [UInt8] {
        let part = "public key"
        let root = try CertificateRejection.reading(part) { try DER.parse(publicKeyInfo) }
        var members = try DERMembers(of: root, in: part)
        _ = try members.next()
        let bits = try members.next()
        return try CertificateRejection.reading(part) { Array(try ASN1BitString(derEncoded: bits).bytes) }
    }

    /// Whether a response names it as its responder.
    func isNamed(by responder: OCSPResponse.Responder) -> Bool {
        switch responder {
        case .name(let name): return subjectBytes == name
        case .key(let hash):
            // SHA-1 only selects the key here. The signature is what counts.
            guard let bits = try? publicKeyBits() else { return false }
            return Array(Insecure.SHA1.hash(data: bits)) == hash
        }
    }
}
