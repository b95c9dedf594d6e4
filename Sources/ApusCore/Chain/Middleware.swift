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
/// A response that it does not hand on it has to `discard()`. What it throws reaches the user as an `ApusError` of the
/// phase `middleware`, with the thrown error underneath. What it asks of the same session itself need not wait for its turn:
/// the request that waits for it has one.
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
