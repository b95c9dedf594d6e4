package import HTTPTypes

/// Who is asked about each redirect of a request before it is followed.
///
/// What it sends elsewhere is its own affair: whether a hop may leave https, and that credentials stay with their origin,
/// was decided about the request that it is given.
package struct RedirectDecision: RequestOption {
    private let decide: @Sendable (HTTPResponse, RequestMessage) -> RequestMessage?

    /// - Parameter decide: Given the head of the redirect and the request that would follow; returns what goes out, or
    ///   `nil` where the redirect is handed on as it is. It may block.
    package init(_ decide: @escaping @Sendable (HTTPResponse, RequestMessage) -> RequestMessage?) {
        self.decide = decide
    }

    func request(
        after response: HTTPResponse,
        _ request: RequestMessage,
        in context: RequestContext
    ) async -> RequestMessage? {
        guard context.environment.configuration.userCode == .offLoop else { return decide(response, request) }
        return await offLoop { [decide] in decide(response, request) }
    }
}
