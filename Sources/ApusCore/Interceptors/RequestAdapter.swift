/// Changes requests before they are sent, each attempt afresh.
///
/// ```swift
/// struct Signature: RequestAdapter {
///     func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
///         var request = request
///         request.fields[.authorization] = "Bearer \(try await Vault.token())"
///         return request
///     }
/// }
/// ```
///
/// Adapters run one after the other: those of the session first, then those of the request, in the order in which they
/// were added. If one throws, the attempt ends, and the retriers are called with its error. Adapters run when the
/// request is no longer queued. If an adapter sends a request with the same session, for a fresh token for example,
/// that request is not queued. A cancelled request does not wait for its adapters.
public protocol RequestAdapter: Sendable {
    /// Returns the request to send.
    ///
    /// - Parameters:
    ///   - request: The request as the previous adapters left it. Each attempt starts from the original request.
    ///   - context: Local data of the request, never sent to the server.
    /// - Returns: The adapted request.
    /// - Throws: Any error. Errors other than `ApusError` become the cause of one with the code `adaptationFailed`.
    func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage
}
