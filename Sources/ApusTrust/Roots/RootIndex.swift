internal import ApusCore

/// Roots that were read, which are found by their names. A root is parsed when it is asked for.
package final class RootIndex: AnchorSource {
    private let certificates: [CertificateOutline]
    /// The positions of the certificates of each name.
    private let positions: [[UInt8]: [Int]]
    /// The certificates that were parsed, by position.
    private let parsed = Lock([Int: ParsedCertificate]())

    init(_ certificates: [CertificateOutline]) {
        var positions: [[UInt8]: [Int]] = [:]
        // A folder often has a certificate several times, under several names.
        var distinct: [CertificateOutline] = []
        for certificate in certificates {
            let same = positions[certificate.subject] ?? []
            guard !same.contains(where: { distinct[$0] == certificate }) else { continue }
            positions[certificate.subject, default: []].append(distinct.count)
            distinct.append(certificate)
        }
        self.certificates = distinct
        self.positions = positions
    }

    /// The number of distinct roots.
    package var count: Int { certificates.count }

    /// The number of roots that were parsed.
    var parsedCount: Int { parsed.withLock { $0.count } }

    package func anchors(named subject: [UInt8]) -> [ParsedCertificate] {
        guard let positions = positions[subject] else { return [] }
        return positions.compactMap { certificate(at: $0) }
    }

    package func contains(_ certificate: [UInt8]) -> Bool {
        guard let outline = CertificateOutline(derBytes: certificate) else { return false }
        return positions[outline.subject]?.contains { certificates[$0] == outline } ?? false
    }

    private func certificate(at position: Int) -> ParsedCertificate? {
        if let known = parsed.withLock({ $0[position] }) { return known }
        // Outside of the lock. Two threads may parse the same certificate.
        guard let certificate = try? ParsedCertificate(derBytes: certificates[position].derBytes) else { return nil }
        parsed.withLock { $0[position] = certificate }
        return certificate
    }
}
