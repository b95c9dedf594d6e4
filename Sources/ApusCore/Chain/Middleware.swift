/// A link of the chain: it sees every request on its way out and every answer on its way back, and may change either,
/// answer by itself, or go again.
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
/// It has to `discard()` a response that it does not return. An error that it throws reaches the user as the
/// `underlying` of an `ApusError` of the phase `middleware`. A request that it makes of the same session is not queued:
/// the request that waits for it is in flight already.
public protocol Middleware: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request as the links outside of this one made it.
    ///   - context: What belongs to the request but is not sent.
    ///   - next: The rest of the chain; it may be called any number of times.
    /// - Returns: The answer, as the links outside of this one get to see it.
    /// - Throws: Anything; what is no `ApusError` becomes the cause of one with the code `middlewareFailed`.
    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage
}
