public import Foundation

/// A certificate in the chain of a server. RFC 5280.
///
/// Two certificates are equal if their bytes are. The texts and the hash are made each time they are read.
public struct ServerCertificate: Sendable, Hashable {
    /// The certificate as it was read.
    package let contents: any CertificateContents

    /// The certificate in DER.
    public var derBytes: [UInt8] { contents.derBytes }
    /// The name of its owner, for example `CN=example.org,O=Example`. Control characters are escaped.
    public var subject: String { contents.subjectText }
    /// The name of the authority that has issued it.
    public var issuer: String { contents.issuerText }
    /// The serial number in hexadecimal digits.
    public var serialNumber: String { contents.serialText }
    /// The begin of its validity.
    public var notValidBefore: Date { contents.notValidBefore }
    /// The end of its validity.
    public var notValidAfter: Date { contents.notValidAfter }
    /// The host names and IP addresses that it names, RFC 5280 §4.2.1.6.
    public var names: [String] { contents.hostNames }
    /// The SHA-256 hash of its public key (`SubjectPublicKeyInfo`), which is what public keys are pinned by.
    public var publicKeyHash: [UInt8] { contents.publicKeyHash }

    package init(contents: any CertificateContents) {
        self.contents = contents
    }

    public static func == (one: ServerCertificate, other: ServerCertificate) -> Bool {
        one.contents === other.contents || one.derBytes == other.derBytes
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(derBytes) }
}

extension ServerCertificate: CustomStringConvertible {
    /// Its subject, issuer and validity.
    public var description: String {
        "\(subject), issued by \(issuer), valid from \(notValidBefore) to \(notValidAfter)"
    }
}
