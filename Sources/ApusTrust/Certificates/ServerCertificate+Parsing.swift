package import ApusCore
internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

extension ServerCertificate {
    /// The maximum number of Unicode scalars that are shown of a name. A host name is shorter.
    private static let nameLimit = 255

    /// Reads a certificate.
    ///
    /// - Parameter derBytes: The certificate in DER.
    /// - Throws: `malformed` if it can't be read.
    package init(derBytes: [UInt8]) throws(CertificateRejection) {
        let certificate = try ParsedCertificate(derBytes: derBytes)
        self.init(certificate)
    }

    /// Describes a certificate. All of its texts come from the peer, so control characters in them are escaped.
    package init(_ certificate: ParsedCertificate) {
        self.init(
            derBytes: certificate.derBytes,
            subject: certificate.subjectText,
            issuer: DistinguishedNameText.text(of: certificate.issuerName),
            serialNumber: Self.digits(of: certificate.serialNumber),
            notValidBefore: certificate.notValidBefore,
            notValidAfter: certificate.notValidAfter,
            names: Self.names(of: certificate),
            publicKeyHash: Array(SHA256.hash(data: certificate.publicKeyInfo))
        )
    }

    /// Returns the host names and addresses of a certificate.
    static func names(of certificate: ParsedCertificate) -> [String] {
        certificate.extensions.subjectNames.compactMap { name -> String? in
            switch name {
            case .dnsName(let host): DistinguishedNameText.printable(host, limit: nameLimit)
            case .ipAddress(let address): IPAddress(bytes: address.bytes)?.description
            default: nil
            }
        }
    }

    /// Returns the digits of a serial number, without the byte that only keeps the number positive.
    private static func digits(of bytes: ArraySlice<UInt8>) -> String {
        let significant = bytes.count > 1 && bytes.first == 0 ? bytes.dropFirst() : bytes
        return significant.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
