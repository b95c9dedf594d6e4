/// A link of the chain. It sees each outgoing request and each incoming response, and may change either, respond
/// without the rest of the chain, or send the request again.
///
/// ```swift
/// struct Stamp: Middleware {
///     func handle(
///         _ request: consuming RequestMessage,
///         context: RequestContext,
///         next: Next
///     ) async throws -> ResponseMessage {
///         var request = request
///         request.fields[.from] = "swift@example.org"
///         return try await next(request, context: context)
///     }
/// }
/// ```
///
/// A middleware must `discard()` each response that it does not return. An error that is not an `ApusError` reaches the
/// caller as the `underlying` error of one in the phase `middleware`. A request that the middleware sends with the same
/// session is not queued, since the request that waits for it is already in flight.
public protocol Middleware: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request as changed by the outer links.
    ///   - context: Local data of the request, never sent to the server.
    ///   - next: The rest of the chain. It may be called any number of times.
    /// - Returns: The response for the outer links.
    /// - Throws: Any error. One that is not an `ApusError` becomes the `underlying` error of `middlewareFailed`.
    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage
}
