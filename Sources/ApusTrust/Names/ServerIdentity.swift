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
        if let address = AddressText.bytes(of: host.last == "." ? String(host.dropLast()) : host) {
            return names.contains { name in
                if case .ipAddress(let bytes) = name { bytes.bytes.elementsEqual(address) } else { false }
            }
        }
        let compared = ComparedHost(host)
        return names.contains { name in
            if case .dnsName(let text) = name { compared.matches(text) } else { false }
        }
    }

    /// Whether a certificate names a host. `false` if it can't be read.
    package static func matches(_ certificate: ServerCertificate, host: String) -> Bool {
        guard let parsed = try? certificate.parsed() else { return false }
        return matches(parsed, host: host)
    }

    /// Compares a DNS name of a certificate, whose first label may be `*`, with a host that is no address.
    package static func matches(_ name: String, _ host: String) -> Bool { ComparedHost(host).matches(name) }
}

/// A host to compare with the names of a certificate, which may have hundreds.
private struct ComparedHost {
    private static let dot = UInt8(ascii: ".")

    /// The bytes in lower case, without a dot at the end.
    private let bytes: [UInt8]
    /// The bytes after the first label, with the dot before them.
    private let parent: ArraySlice<UInt8>
    /// Whether a wildcard can stand for the first label, since two more follow.
    private let hasWildcard: Bool
    /// Whether it has no empty label.
    private let isComplete: Bool

    init(_ host: String) {
        var bytes = host.utf8.map { Self.folded($0) }
        if bytes.last == Self.dot { bytes.removeLast() }
        self.bytes = bytes
        let labels = bytes.split(separator: Self.dot, omittingEmptySubsequences: false)
        parent = bytes.dropFirst(labels[0].count)
        // A wildcard stands for one label, and never directly below a top-level domain.
        hasWildcard = labels.count > 2
        isComplete = labels.allSatisfy { !$0.isEmpty }
    }

    func matches(_ name: String) -> Bool {
        guard isComplete else { return false }
        var name = name.utf8[...]
        if name.last == Self.dot { name = name.dropLast() }
        guard name.first == UInt8(ascii: "*"), name.dropFirst().first ?? Self.dot == Self.dot else {
            return Self.isEqual(name, bytes[...])
        }
        return hasWildcard && Self.isEqual(name.dropFirst(), parent)
    }

    private static func isEqual(_ name: Substring.UTF8View, _ host: ArraySlice<UInt8>) -> Bool {
        name.count == host.count && zip(name, host).allSatisfy { folded($0) == $1 }
    }

    /// Only ASCII letters are changed: the names of a certificate and of a URL are A-labels.
    private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
