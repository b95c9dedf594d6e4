package import ApusCore
package import Foundation

/// Builds a path from the certificate of a server to a root, and checks it. RFC 5280 §6.1 and RFC 4158.
///
/// It does no I/O, except for the roots that `AnchorSource` reads. Its work is limited by `PathLimits`, so the server
/// can't keep it busy. X509's `Verifier` is not used: its search has no limit, and its reasons are prose.
package enum PathBuilder {
    /// Builds a path.
    ///
    /// - Parameters:
    ///   - leaf: The certificate of the server.
    ///   - presented: The other certificates that the server has sent, in any order. Unrelated ones are ignored.
    ///   - anchors: The roots. Any certificate can be one, also that of the server.
    ///   - host: The host or IP address that the certificate must name. `nil` for any.
    ///   - date: The time at which all certificates must be valid.
    ///   - limits: The limits of the search. Default: the default limits.
    /// - Returns: The path from the leaf to the root, or the reason for which there is none. If several paths fail, it
    ///   is the reason of the one that got furthest: one with a root, and of these the one with the most certificates.
    /// - Throws: `invalidConfiguration` if the roots can't be read.
    package static func build(
        leaf: ParsedCertificate,
        presented: [ParsedCertificate],
        anchors: any AnchorSource,
        host: String?,
        at date: Date,
        limits: PathLimits = PathLimits()
    ) throws(ApusError) -> Result<[ParsedCertificate], CertificateRejection> {
        if let rejection = leaf.validityRejection(at: date) { return .failure(rejection) }
        if try anchors.contains(leaf.derBytes) {
            let flaw = CertificateChecks.flaw(ofServer: leaf, host: host, isAnchor: true)
            if let flaw { return .failure(flaw.rejection) }
            return .success([leaf])
        }
        let flaw = CertificateChecks.flaw(ofServer: leaf, host: host, isAnchor: false)
        var search = PathSearch(presented: presented, anchors: anchors, date: date, limits: limits)
        return try search.run(from: leaf, flaw: flaw)
    }
}
