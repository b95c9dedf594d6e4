/// A link that waits for nothing: it changes a request on its way out, and looks at the answer on its way back. Few answers
/// concern it, and for those it has all the time it wants.
///
/// The chain calls such links one after the other, in one frame: an async call for each would cost most requests more
/// than what the links do.
package protocol PromptMiddleware: AnyObject, Sendable {
    /// Whether `conclude` may send the request again. It is then given the request as this link was given it.
    var resends: Bool { get }

    /// Changes a request on its way out; by default it stays as it is. Method and target always do.
    ///
    /// It is called again for a link further in that sends the request again, and does the same to it then.
    func prepare(_ request: inout RequestMessage, context: RequestContext) throws

    /// Whether an answer is one for `conclude`. Not asked about plain ones, which concern no prompt link.
    func isConcerned(by response: borrowing ResponseMessage) -> Bool

    /// What becomes of an answer that concerns this link.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - request: What it is the answer to, as this link was given it where it resends; otherwise as the first prompt
    ///     link of the segment was given it.
    ///   - context: What belongs to the request but is not sent.
    ///   - next: The rest of the chain, for another exchange.
    /// - Returns: The answer, as the links outside of this one get to see it.
    /// - Throws: An error about the answer, or an error of the rest of the chain.
    func conclude(
        _ response: ResponseMessage,
        to request: RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage
}

extension PromptMiddleware {
    package var resends: Bool { false }

    package func prepare(_ request: inout RequestMessage, context: RequestContext) throws {}

    package func isConcerned(by response: borrowing ResponseMessage) -> Bool { false }

    package func conclude(
        _ response: ResponseMessage,
        to request: RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        response
    }
}
