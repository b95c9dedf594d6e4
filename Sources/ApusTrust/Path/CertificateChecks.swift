internal import ApusCore
internal import Foundation
internal import SwiftASN1
internal import X509

/// The checks of a single certificate, without the path around it. RFC 5280 §6.1.
///
/// If several apply, the flaw is the first of them in the order of the cases of `CertificateRejection`.
enum CertificateChecks {
    private static let serverPurpose: ASN1ObjectIdentifier = .ExtendedKeyUsage.serverAuth
    private static let anyPurpose: ASN1ObjectIdentifier = .ExtendedKeyUsage.any

    /// Checks the certificate of a server. Its validity is checked first of all, by the path builder.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - host: The host that it must name. `nil` for any.
    ///   - isAnchor: Whether it is a root itself, so that its signature is not looked at.
    /// - Returns: The flaw. `nil` if it passes.
    static func flaw(
        ofServer certificate: ParsedCertificate,
        host: String?,
        isAnchor: Bool
    ) -> CertificateFlaw? {
        if let host, !ServerIdentity.matches(certificate, host: host) {
            return .wrongHost(certificate)
        }
        let isForServers = certificate.extensions.keyUsage.map { !$0.isDisjoint(with: .server) } ?? true
        guard isForServers, hasServerPurpose(certificate) else { return .plain(.notForServers) }
        return algorithmFlaw(of: certificate, isAnchor: isAnchor) ?? extensionFlaw(of: certificate)
    }

    /// Checks an authority.
    ///
    /// - Parameters:
    ///   - certificate: The certificate of the authority.
    ///   - isAnchor: Whether it is a root, so that its signature is not looked at.
    ///   - date: The time at which it must be valid.
    /// - Returns: The flaw. `nil` if it passes.
    static func flaw(
        ofAuthority certificate: ParsedCertificate,
        isAnchor: Bool,
        at date: Date
    ) -> CertificateFlaw? {
        if let rejection = certificate.validityRejection(at: date) { return .plain(rejection) }
        // The extended key usage of an authority also limits the certificates below it, as in all browsers.
        guard hasServerPurpose(certificate) else { return .plain(.notForServers) }
        if let flaw = algorithmFlaw(of: certificate, isAnchor: isAnchor) ?? extensionFlaw(of: certificate) {
            return flaw
        }
        return isAuthority(certificate, isAnchor: isAnchor) ? nil : .plain(.notAnAuthority)
    }

    /// Whether a certificate may sign others. A root of version 1 or 2 has no extensions, and the user has chosen it.
    private static func isAuthority(_ certificate: ParsedCertificate, isAnchor: Bool) -> Bool {
        guard certificate.version == 3 else { return isAnchor }
        return certificate.extensions.isAuthority == true
            && certificate.extensions.keyUsage?.contains(.certificateSigning) != false
    }

    private static func hasServerPurpose(_ certificate: ParsedCertificate) -> Bool {
        guard let purposes = certificate.extensions.purposes else { return true }
        return purposes.contains(serverPurpose) || purposes.contains(anyPurpose)
    }

    private static func algorithmFlaw(of certificate: ParsedCertificate, isAnchor: Bool) -> CertificateFlaw? {
        if !isAnchor {
            switch certificate.signatureScheme {
            case .usable, .pss: break
            case .weak(let name): return .weakSignature(name)
            case .unsupported(let name): return .unsupportedSignature(name)
            }
        }
        switch certificate.keyStrength {
        case .usable: return nil
        case .weak(let name): return .weakKey(name)
        case .unsupported(let name): return .unsupportedKey(name)
        }
    }

    private static func extensionFlaw(of certificate: ParsedCertificate) -> CertificateFlaw? {
        certificate.extensions.unknownCritical.map { CertificateFlaw.unknownCritical($0) }
    }
}
