public import Dispatch
public import HTTPTypes

/// The decision about a response whose head has arrived.
public enum ResponseDisposition: Sendable, Hashable {
    /// The body is received.
    case allow
    /// The request is cancelled.
    case cancel
}

extension Request {
    /// Calls a handler when the head of a response has arrived, before its body is collected.
    ///
    /// Redirects that are followed have no such response. A retry calls the handler again.
    ///
    /// - Parameters:
    ///   - queue: The queue that `handler` is called on. Default: `.main`.
    ///   - handler: Receives the head.
    /// - Returns: The request.
    @discardableResult
    public func onHTTPResponse(
        on queue: DispatchQueue = .main,
        perform handler: @escaping @Sendable (HTTPResponse) -> Void
    ) -> Self {
        let core = task.core
        return validate { _, response in
            core.mainQueueWatch.deliver(on: queue) { handler(response) }
            return .success(())
        }
    }

    /// Lets a closure decide about a response when its head has arrived, before its body is collected.
    ///
    /// ```swift
    /// let request = session.request("https://example.org/report").onHTTPResponse { response in
    ///     response.headerFields[.contentType] == "application/pdf" ? .allow : .cancel
    /// }
    /// ```
    ///
    /// Redirects that are followed have no such response. A retry calls the closure again.
    ///
    /// - Parameter decide: Receives the head. It may block: it runs on the global executor unless the session is
    ///   configured otherwise.
    /// - Returns: The request.
    @discardableResult
    public func onHTTPResponse(perform decide: @escaping @Sendable (HTTPResponse) -> ResponseDisposition) -> Self {
        validate { [weak task] _, response in
            guard decide(response) == .cancel else { return .success(()) }
            task?.cancel(.user)
            return .failure(CancelReason.user.error)
        }
    }

    /// Returns the heads of the responses as a sequence.
    ///
    /// ```swift
    /// for await response in request.httpResponses() { print(response.status) }
    /// ```
    ///
    /// It yields the head of each response from now on, before the validators decide and before the body is collected:
    /// one, and one more for each retry. Redirects that are followed and challenges are not included. It ends with the
    /// request. It does not start the request, does not keep it, and does not cancel it if its reader is cancelled.
    /// Each call returns a new sequence, for one reader.
    ///
    /// - Parameter bufferingPolicy: The heads that are kept for a slow reader. Default: all of them.
    /// - Returns: The sequence.
    public func httpResponses(
        bufferingPolicy: AsyncStream<HTTPResponse>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<HTTPResponse> {
        task.responses(bufferingPolicy)
    }

    /// Adds a validator that runs when the response head has arrived, before the body is collected.
    ///
    /// - Parameter validation: Receives the request and the response head. It may block: it runs on the global executor
    ///   unless the session is configured otherwise.
    /// - Returns: The request.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (RequestMessage, HTTPResponse) -> ValidationResult
    ) -> Self {
        task.append(.customHead(validation))
        return self
    }
}
