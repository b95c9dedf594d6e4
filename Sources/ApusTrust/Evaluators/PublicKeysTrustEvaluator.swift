public import ApusCore

/// Requires that one of the certificates of the server's chain has a pinned public key.
///
/// ```swift
/// let keys = [
///     try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
///     // The backup: a key that the server will use if the first one is lost.
///     try PublicKeyPin("sha256//LCa0a2j/xo/5m0U8HTBBNBNCLXBkg7+g+YpeiGJm564="),
/// ]
/// let evaluator = PublicKeysTrustEvaluator(keys: keys)
/// ```
///
/// A key outlives its certificates, since a renewed certificate can have the same one. Only certificates of the
/// validated chain count: a server may send any others along.
public struct PublicKeysTrustEvaluator: ServerTrustEvaluating {
    /// The pinned keys, with the backups.
    public let keys: [PublicKeyPin]
    /// Whether the chain must be valid.
    public let performDefaultValidation: Bool
    /// Whether the chain must be valid, and its certificate must name the host.
    public let validateHost: Bool

    /// Creates an evaluator.
    ///
    /// If neither the chain nor the host is validated, only the server's own certificate can match, since nothing binds
    /// the others to the server.
    ///
    /// - Parameters:
    ///   - keys: The pinned keys, with the backups. Without any, every server is rejected with `invalidConfiguration`.
    ///   - performDefaultValidation: Whether the chain must be valid. Default: `true`.
    ///   - validateHost: Whether the chain must be valid, and its certificate must name the host. Default: `true`.
    public init(keys: [PublicKeyPin], performDefaultValidation: Bool = true, validateHost: Bool = true) {
        self.keys = keys
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
    }

    /// Throws `CertificateRejection.notPinned` if no certificate of the chain has a pinned key, or the reason why it is
    /// not valid.
    public func evaluate(_ presented: PresentedChain, forHost host: String) async throws {
        guard !keys.isEmpty else { throw PinnedValidation.noPin }
        let validation = PinnedValidation(
            roots: nil,
            performDefaultValidation: performDefaultValidation,
            validateHost: validateHost
        )
        let chain = try await validation.chain(of: presented)
        guard chain.contains(where: { keys.contains(PublicKeyPin(certificate: $0)) }) else {
            throw PinnedValidation.notPinned(chain)
        }
    }
}
