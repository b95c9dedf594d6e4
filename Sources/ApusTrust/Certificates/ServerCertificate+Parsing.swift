package import ApusCore
internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

extension ServerCertificate {
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
        self.init(contents: certificate)
    }

    /// Returns the certificate as it was read.
    ///
    /// - Throws: `malformed` if it was not read by this module, and can't be read.
    package func parsed() throws(CertificateRejection) -> ParsedCertificate {
        if let known = contents as? ParsedCertificate { return known }
        return try ParsedCertificate(derBytes: derBytes)
    }
}

extension ParsedCertificate: CertificateContents {
    /// The maximum number of Unicode scalars that are shown of a name. A host name is shorter.
    private static let nameLimit = 255

    /// The name of its owner as text.
    package var subjectText: String { DistinguishedNameText.text(of: subjectName) }

    /// The name of its authority as text.
    package var issuerText: String { DistinguishedNameText.text(of: issuerName) }

    /// The digits of its serial number, without the byte that only keeps the number positive.
    package var serialText: String {
        let isPadded = serialNumber.count > 1 && serialNumber.first == 0
        let significant = isPadded ? serialNumber.dropFirst() : serialNumber
        return significant.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Its host names and addresses.
    package var hostNames: [String] {
        extensions.subjectNames.compactMap { name -> String? in
            switch name {
            case .dnsName(let host): DistinguishedNameText.printable(host, limit: Self.nameLimit)
            case .ipAddress(let address): IPAddress(bytes: address.bytes)?.description
            default: nil
            }
        }
    }

    /// The SHA-256 hash of its public key.
    package var publicKeyHash: [UInt8] { Array(SHA256.hash(data: publicKeyInfo)) }
}
