internal import ApusCore
internal import SwiftASN1
internal import X509

/// Why a certificate or a path is refused. A search leaves most flaws behind, so the texts of the rejection are made
/// only for the one that is reported.
indirect enum CertificateFlaw {
    /// A rejection without texts of the certificate.
    case plain(CertificateRejection)
    case wrongHost(ParsedCertificate)
    /// The text names the algorithm.
    case weakSignature(String)
    /// The text names the algorithm.
    case unsupportedSignature(String)
    /// The text names the key.
    case weakKey(String)
    /// The text names the key.
    case unsupportedKey(String)
    case unknownCritical(ASN1ObjectIdentifier)
    case nameNotPermitted(GeneralName)
    /// No authority was found for the certificate.
    case untrusted(ParsedCertificate)
    /// The certificate is not signed by its authority.
    case invalidSignature(ParsedCertificate)
    /// An authority of the path has a flaw.
    case authority(ParsedCertificate, CertificateFlaw)

    /// The rejection, with its texts.
    var rejection: CertificateRejection {
        switch self {
        case .plain(let rejection): return rejection
        case .wrongHost(let certificate): return .wrongHost(names: certificate.hostNames)
        case .weakSignature(let name): return .weak("a signature by \(name)")
        case .unsupportedSignature(let name): return .other("it has a signature that is not supported: \(name)")
        case .weakKey(let name): return .weak(name)
        case .unsupportedKey(let name): return .other("it has a key that is not supported: \(name)")
        case .unknownCritical(let identifier): return .unknownCriticalExtension("\(identifier)")
        case .nameNotPermitted(let name): return .nameNotPermitted(Self.text(of: name))
        case .untrusted(let certificate):
            if certificate.isSelfIssued, !certificate.issuerName.isEmpty { return .selfSigned }
            let issuer = DistinguishedNameText.shortText(of: certificate.issuerName)
            return .untrustedAuthority(issuer: issuer.map { DistinguishedNameText.printable($0) })
        case .invalidSignature(let certificate): return .invalidSignature(issuer: certificate.issuerText)
        case .authority(let certificate, let flaw):
            return .authority(subject: certificate.subjectText, flaw.rejection)
        }
    }

    private static func text(of name: GeneralName) -> String {
        switch name {
        case .dnsName(let text), .rfc822Name(let text), .uniformResourceIdentifier(let text):
            DistinguishedNameText.printable(text)
        case .ipAddress(let address): IPAddress(bytes: address.bytes)?.description ?? "an address of another length"
        case .directoryName(let name): DistinguishedNameText.text(of: Array(name))
        case .otherName, .x400Address, .ediPartyName, .registeredID: "a name of a type that is not supported"
        }
    }
}
