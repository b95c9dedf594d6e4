public import ApusCore

/// Validates the server's certificate with roots of its own, in place of `trust.roots` or beside those of the system.
///
/// ```swift
/// let internalHosts = RootsTrustEvaluator(roots: .file("/etc/client/authority.pem"))
/// ```
public struct RootsTrustEvaluator: ServerTrustEvaluating {
    /// The roots in which the chain must end.
    public let roots: ServerTrust.Roots
    /// Whether the certificate must name the host.
    public let validateHost: Bool

    /// Creates an evaluator.
    ///
    /// - Parameters:
    ///   - roots: The roots in which the chain must end.
    ///   - includesSystemRoots: Whether the chain can also end in a root of the operating system. Default: `false`.
    ///   - validateHost: Whether the certificate must name the host. Default: `true`.
    public init(roots: ServerTrust.Roots, includesSystemRoots: Bool = false, validateHost: Bool = true) {
        self.roots = includesSystemRoots ? .all([roots, .system]) : roots
        self.validateHost = validateHost
    }

    /// Throws if the certificate is not valid.
    public func evaluate(_ presented: PresentedChain, forHost host: String) async throws {
        try await presented.validated(roots: roots, checksHost: validateHost)
    }
}
