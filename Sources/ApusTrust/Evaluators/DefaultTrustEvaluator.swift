public import ApusCore

/// Validates the server's certificate as without an evaluator: a chain from it to a root, RFC 5280, and its host,
/// RFC 9525.
public struct DefaultTrustEvaluator: ServerTrustEvaluating {
    /// Whether the certificate must name the host.
    public let validateHost: Bool

    /// Creates an evaluator.
    ///
    /// - Parameter validateHost: Whether the certificate must name the host. Default: `true`.
    public init(validateHost: Bool = true) {
        self.validateHost = validateHost
    }

    /// Throws if the certificate is not valid.
    public func evaluate(_ presented: PresentedChain, forHost host: String) async throws {
        try await presented.validated(checksHost: validateHost)
    }
}
