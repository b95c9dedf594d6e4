package import Foundation

/// A certificate that was read, as the source of a `ServerCertificate`.
///
/// ApusCore reads no certificates. The texts are made each time they are asked for: few callers read those of a
/// handshake, and no handshake waits for them.
package protocol CertificateContents: AnyObject, Sendable {
    /// The certificate in DER.
    var derBytes: [UInt8] { get }
    /// The name of its owner, without control characters.
    var subjectText: String { get }
    /// The name of the authority that has issued it, without control characters.
    var issuerText: String { get }
    /// The serial number in hexadecimal digits.
    var serialText: String { get }
    /// The begin of its validity.
    var notValidBefore: Date { get }
    /// The end of its validity.
    var notValidAfter: Date { get }
    /// The host names and IP addresses that it names, without control characters.
    var hostNames: [String] { get }
    /// The SHA-256 hash of its public key.
    var publicKeyHash: [UInt8] { get }
}
