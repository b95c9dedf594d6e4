internal import ApusCore
internal import ApusTrust
internal import Foundation
internal import NIOSSL

/// The verification of servers by the TLS library, which replaces that of `PeerVerifier`.
///
/// On Apple systems only Security.framework knows the roots of the system, and the library asks it. So a connection with
/// these roots is verified by the library there, unless an evaluator decides.
struct LibraryVerification: Hashable, Sendable {
    let checksName: Bool

    /// Returns `nil` if `PeerVerifier` verifies the server.
    init?(_ security: TLSSecurity) {
        let trust = security.trust
        guard Self.isNeeded, trust.evaluator == nil, trust.roots == .system, trust.verification != .none else {
            return nil
        }
        self.checksName = trust.verification == .full
    }

    func apply(to configuration: inout TLSConfiguration) {
        // The name is checked after the handshake, with stricter rules and for the right host.
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .default
    }

    /// The library's symbol for a certificate that it has rejected.
    static let symbol = "CERTIFICATE_VERIFY_FAILED"

    /// Returns the reason for which the library has rejected a certificate. It does not report the reason, so that is found
    /// in the certificate.
    ///
    /// - Parameter bytes: The server's certificate in DER. `nil` if it is unknown.
    /// - Returns: The reason.
    func reason(for bytes: [UInt8]?) -> CertificateRejection {
        guard let bytes, let certificate = try? ServerCertificate(derBytes: bytes) else {
            return .other("the system rejected it")
        }
        let now = Date()
        if certificate.notValidAfter < now { return .expired(on: certificate.notValidAfter) }
        if certificate.notValidBefore > now { return .notYetValid(from: certificate.notValidBefore) }
        if certificate.issuer == certificate.subject { return .selfSigned }
        return .untrustedAuthority(issuer: certificate.issuer.isEmpty ? nil : certificate.issuer)
    }

    private static var isNeeded: Bool {
        #if canImport(Darwin)
            return true
        #else
            return false
        #endif
    }
}
