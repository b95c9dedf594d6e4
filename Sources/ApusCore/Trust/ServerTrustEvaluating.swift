/// Decides whether a server is trusted.
///
/// ```swift
/// struct OnlyThisAuthority: ServerTrustEvaluating {
///     func evaluate(_ presented: PresentedChain, forHost host: String) async throws {
///         let chain = try await presented.validated()
///         guard chain.last?.subject == "CN=Example Root" else { throw UntrustedAuthority() }
///     }
/// }
/// ```
///
/// It runs during the handshake, once for each new connection, within `timeouts.tls`. Requests whose evaluators are not
/// equal never share a connection, so `==` must be `true` only for evaluators with the same decisions. A class that
/// does not define `==` should compare its identity.
public protocol ServerTrustEvaluating: Sendable, Hashable {
    /// Throws if the server is not trusted.
    ///
    /// - Parameters:
    ///   - presented: The certificates that the server has presented. They are not validated yet.
    ///   - host: The host of the request, without a trailing dot, or its IP address.
    /// - Throws: Any error. The connection is closed, and the requests that wait for it fail with
    ///   `certificateRejected`, with this error as `underlying`.
    func evaluate(_ presented: PresentedChain, forHost host: String) async throws
}
