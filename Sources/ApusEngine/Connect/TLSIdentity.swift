internal import NIOCore
internal import NIOSSL

/// Checks whether a certificate names the requested host.
///
/// SwiftNIO's own check also accepts a certificate for the IP address of the connection, for any host name, and one
/// with only a common name. An attacker able to redirect a name could then use a certificate for their own address.
/// This check requires the host among the DNS names: RFC 9525 §6.3, https://www.rfc-editor.org/rfc/rfc9525.html
enum TLSIdentity {
    static func names(_ certificate: NIOSSLCertificate, _ host: String) -> Bool {
        TLSDNSNames(certificate).contains(host)
    }

    /// Returns the host names and addresses that a certificate names.
    static func names(in certificate: NIOSSLCertificate) -> [String] {
        certificate._subjectAlternativeNames().compactMap { name -> String? in
            switch name.nameType {
            case .dnsName: return String(decoding: name.contents, as: UTF8.self)
            case .ipAddress:
                let bytes = ByteBuffer(bytes: name.contents)
                return (try? SocketAddress(packedIPAddress: bytes, port: 0))?.ipAddress
            default: return nil
            }
        }
    }
}
