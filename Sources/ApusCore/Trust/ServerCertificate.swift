public import Foundation

/// A certificate in the chain of a server. RFC 5280.
///
/// Two certificates are equal if their bytes are.
public struct ServerCertificate: Sendable, Hashable {
    /// The certificate in DER.
    public let derBytes: [UInt8]
    /// The name of its owner, for example `CN=example.org,O=Example`. Control characters are escaped.
    public let subject: String
    /// The name of the authority that has issued it.
    public let issuer: String
    /// The serial number in hexadecimal digits.
    public let serialNumber: String
    /// The begin of its validity.
    public let notValidBefore: Date
    /// The end of its validity.
    public let notValidAfter: Date
    /// The host names and IP addresses that it names, RFC 5280 §4.2.1.6.
    public let names: [String]
    /// The SHA-256 hash of its public key (`SubjectPublicKeyInfo`), which is what public keys are pinned by.
    public let publicKeyHash: [UInt8]

    package init(
        derBytes: [UInt8],
        subject: String,
        issuer: String,
        serialNumber: String,
        notValidBefore: Date,
        notValidAfter: Date,
        names: [String],
        publicKeyHash: [UInt8]
    ) {
        self.derBytes = derBytes
        self.subject = subject
        self.issuer = issuer
        self.serialNumber = serialNumber
        self.notValidBefore = notValidBefore
        self.notValidAfter = notValidAfter
        self.names = names
        self.publicKeyHash = publicKeyHash
    }

    public static func == (one: ServerCertificate, other: ServerCertificate) -> Bool { one.derBytes == other.derBytes }

    public func hash(into hasher: inout Hasher) { hasher.combine(derBytes) }
}

extension ServerCertificate: CustomStringConvertible {
    /// Its subject, issuer and validity.
    public var description: String {
        "\(subject), issued by \(issuer), valid from \(notValidBefore) to \(notValidAfter)"
    }
}
