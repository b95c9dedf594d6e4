package import ApusCore
internal import SwiftASN1
internal import X509

/// Compares the names of a certificate with a host, RFC 9525.
///
/// The common name is never compared, §2. A host is compared with the DNS names only, and an address with the addresses
/// only.
package enum ServerIdentity {
    /// Whether a certificate names a host.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - host: The host as in a URL, with or without a trailing dot, or its IP address.
    /// - Returns: Whether one of its names is that of the host.
    package static func matches(_ certificate: ParsedCertificate, host: String) -> Bool {
        let names = certificate.extensions.subjectNames
        if let address = IPAddress(certificateHost: host.last == "." ? String(host.dropLast()) : host)?.bytes {
            return names.contains { name in
                if case .ipAddress(let bytes) = name { bytes.bytes.elementsEqual(address) } else { false }
            }
        }
        let wanted = certificateNames(of: host)
        return names.contains { name in
            if case .dnsName(let text) = name { isAmong(wanted, text) } else { false }
        }
    }

    /// Whether a certificate names a host. `false` if it can't be read.
    package static func matches(_ certificate: ServerCertificate, host: String) -> Bool {
        guard let parsed = try? certificate.parsed() else { return false }
        return matches(parsed, host: host)
    }

    /// Compares a DNS name of a certificate, whose first label may be `*`, with a host that is no address.
    package static func matches(_ name: String, _ host: String) -> Bool {
        isAmong(certificateNames(of: host), name)
    }

    private static func certificateNames(of host: String) -> [DNSName] {
        DNSName(host)?.certificateNames ?? []
    }

    private static func isAmong(_ names: [DNSName], _ text: String) -> Bool {
        guard let name = DNSName(text) else { return false }
        return names.contains(name)
    }
}
