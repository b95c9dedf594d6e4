public import ApusCore

/// Requires that one of the certificates of the server's chain is pinned.
///
/// ```swift
/// let pinned = try ServerCertificate.certificates(inFile: "/etc/client/pinned.pem")
/// let evaluator = PinnedCertificatesTrustEvaluator(certificates: pinned)
/// ```
///
/// The pinned certificate can be that of the server, also one that an authority has issued, that of an authority in
/// between, or that of the root. A server gets a new certificate from time to time, so pin the next one too, or an
/// authority. Only certificates of the validated chain count: a server may send any others along.
public struct PinnedCertificatesTrustEvaluator: ServerTrustEvaluating {
    /// The pinned certificates.
    public let certificates: [ServerCertificate]
    /// Whether the pinned certificates are the roots, in place of `trust.roots`.
    public let acceptSelfSignedCertificates: Bool
    /// Whether the chain must be valid.
    public let performDefaultValidation: Bool
    /// Whether the chain must be valid, and its certificate must name the host.
    public let validateHost: Bool

    private let validation: PinnedValidation

    /// Creates an evaluator.
    ///
    /// If neither the chain nor the host is validated, only the server's own certificate can match, since nothing binds
    /// the others to the server.
    ///
    /// - Parameters:
    ///   - certificates: The pinned certificates. Without any, every server is rejected with `invalidConfiguration`.
    ///   - acceptSelfSignedCertificates: Whether the pinned certificates are the roots, in place of `trust.roots`, so
    ///     that a self-signed certificate or one of a private authority is accepted if it is pinned. Default: `false`.
    ///   - performDefaultValidation: Whether the chain must be valid. Default: `true`.
    ///   - validateHost: Whether the chain must be valid, and its certificate must name the host. Default: `true`.
    public init(
        certificates: [ServerCertificate],
        acceptSelfSignedCertificates: Bool = false,
        performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) {
        self.certificates = certificates
        self.acceptSelfSignedCertificates = acceptSelfSignedCertificates
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
        self.validation = PinnedValidation(
            roots: acceptSelfSignedCertificates ? .pem(PEMText.text(of: certificates.map(\.derBytes))) : nil,
            performDefaultValidation: performDefaultValidation,
            validateHost: validateHost
        )
    }

    /// Throws `CertificateRejection.notPinned` if no certificate of the chain is pinned, or the reason why it is not
    /// valid.
    public func evaluate(_ presented: PresentedChain, forHost host: String) async throws {
        guard !certificates.isEmpty else { throw PinnedValidation.noPin }
        let chain = try await validation.chain(of: presented)
        guard chain.contains(where: { certificates.contains($0) }) else { throw PinnedValidation.notPinned(chain) }
    }
}
