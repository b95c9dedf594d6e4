/// A link that changes a request without suspending. It may also handle the response, and may suspend to do so, but
/// few responses concern it.
///
/// The chain calls such links one after the other in one frame. An async call for each would cost most requests more
/// than the work of the links.
package protocol SynchronousMiddleware: AnyObject, Sendable {
    /// Whether `conclude` may send the request again. It then gets the request as this link got it. Default: `false`.
    var resends: Bool { get }

    /// Changes an outgoing request, but never its method, and its target only by an upgrade to https. Default: no change.
    ///
    /// If an inner link sends the request again, it is called again and must make the same changes.
    func prepare(_ request: inout RequestMessage, context: RequestContext) throws

    /// Returns whether `conclude` handles a response. Not called for plain responses. Default: `false`.
    func isConcerned(by response: borrowing ResponseMessage) -> Bool

    /// Returns whether `conclude` handles every response to a request with these options, even a plain one. The chain
    /// keeps the answer for requests without options. Default: `false`.
    func isConcerned(byAnyResponseTo options: RequestOptions) -> Bool

    /// Handles a response that concerns this link. Default: returns it unchanged.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request of the response. If this link resends, it is the request as this link received it,
    ///     otherwise as the first synchronous link of the sequence received it. Its target is the one that was sent.
    ///   - context: Local data of the request, never sent to the server.
    ///   - next: The rest of the chain, for another exchange.
    /// - Returns: The response for the outer links.
    /// - Throws: An error about the response, or an error of the rest of the chain.
    func conclude(
        _ response: ResponseMessage,
        to request: RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage
}

extension SynchronousMiddleware {
    package var resends: Bool { false }

    package func prepare(_ request: inout RequestMessage, context: RequestContext) throws {}

    package func isConcerned(by response: borrowing ResponseMessage) -> Bool { false }

    package func isConcerned(byAnyResponseTo options: RequestOptions) -> Bool { false }

    package func conclude(
        _ response: ResponseMessage,
        to request: RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        response
    }
}
