internal import ApusCore
internal import ApusTestServer

@testable internal import ApusTrust

/// Verifies certificates with an evaluator.
enum TrustSample {
    /// Returns the error of a verification, or `nil` if the server is trusted.
    ///
    /// - Parameters:
    ///   - evaluator: The evaluator.
    ///   - der: The certificates that the server presents.
    ///   - host: The host. Default: `localhost`.
    ///   - roots: The roots of the trust. Default: those of the test authority.
    ///   - addressGuard: The guard of the request. Default: `nil`.
    /// - Returns: The error, or `nil`.
    static func error(
        of evaluator: any ServerTrustEvaluating,
        _ der: [[UInt8]],
        host: String = "localhost",
        roots: ServerTrust.Roots = .pem(TestTLS.authorityPEM),
        addressGuard: AddressGuard? = nil
    ) async -> ApusError? {
        var trust = ServerTrust()
        trust.roots = roots
        trust.evaluator = evaluator
        switch await PeerVerifier.shared.verify(der, host: host, trust: trust, addressGuard: addressGuard) {
        case .success: return nil
        case .failure(let error): return error
        }
    }

    /// Returns the certificates of a server.
    static func certificates(_ tls: TestTLS) throws -> [ServerCertificate] {
        try ServerCertificate.certificates(pem: tls.certificateChainPEM)
    }

    static var authority: [ServerCertificate] {
        get throws { try ServerCertificate.certificates(pem: TestTLS.authorityPEM) }
    }
}
