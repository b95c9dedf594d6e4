internal import ApusCore

/// Keeps the parsed certificates of validated chains, since a server presents the same ones in each handshake.
///
/// An entry is no verdict. It has only what follows from the bytes of the certificate: its contents, and the key that
/// its signature was made with. Each handshake checks the rest anew: the path, the validity, the host and the roots.
final class CertificateCache: Sendable {
    /// The cache of all sessions.
    static let shared = CertificateCache()

    /// The maximum number of certificates.
    static let capacity = 128
    /// The maximum size of a certificate. Usual ones have 1 to 2 KiB.
    static let maximumBytes = 8 << 10

    /// The bytes of a certificate. They end with its signature, so the end is enough to tell most of them apart.
    private struct Key: Hashable {
        let derBytes: [UInt8]

        func hash(into hasher: inout Hasher) {
            hasher.combine(derBytes.count)
            derBytes.suffix(32).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    private let state = Lock(RecentlyUsed<Key, ParsedCertificate>(capacity: CertificateCache.capacity))

    /// Looks for certificates.
    ///
    /// - Parameter der: The certificates in DER.
    /// - Returns: For each one the parsed certificate, or `nil` if it is not kept.
    func certificates(for der: ArraySlice<[UInt8]>) -> [ParsedCertificate?] {
        state.withLock { state -> [ParsedCertificate?] in
            var found: [ParsedCertificate?] = []
            for bytes in der {
                found.append(bytes.count <= Self.maximumBytes ? state.find(Key(derBytes: bytes)) : nil)
            }
            return found
        }
    }

    /// Keeps certificates. Beyond the capacity, those that were not used for the longest time are removed.
    func keep(_ certificates: [ParsedCertificate]) {
        let certificates = certificates.filter { $0.derBytes.count <= Self.maximumBytes }
        guard !certificates.isEmpty else { return }
        state.withLock { state in
            for certificate in certificates.prefix(Self.capacity) {
                state.keep(certificate, for: Key(derBytes: certificate.derBytes))
            }
        }
    }
}
