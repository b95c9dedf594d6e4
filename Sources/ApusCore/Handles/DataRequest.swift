public import Foundation
public import HTTPTypes

/// A request whose answer is collected in memory: chainable, and inert until it is resumed or asked for its answer.
///
/// ```swift
/// session.request("https://api.example.org/users/1")
///     .validate()
///     .responseDecodable(of: User.self) { response in
///         print(response.result)
///     }
/// ```
///
/// It completes exactly once for everyone who asks, with the value or one `ApusError`.
///
/// ## Cancellation
/// `cancel()` before a connection was granted closes nothing; after that it closes the connection (HTTP/1.1).
public final class DataRequest: Sendable {
    /// What a request is doing.
    public enum State: Sendable, Hashable {
        /// Nothing was asked of it yet.
        case initialized
        /// It is on its way, or waits its turn.
        case resumed
        /// It is held back: it does not start, or does not read on.
        case suspended
        /// It was given up. There is no way back.
        case cancelled
        /// It is over.
        case finished
    }

    let task: RequestTask

    init(task: RequestTask) {
        self.task = task
    }

    /// Tells the request apart in logs and events.
    public var id: RequestID { task.context.id }

    /// What the request is doing.
    public var state: State {
        switch task.life {
        case .initialized: .initialized
        case .resumed: .resumed
        case .suspended: .suspended
        case .cancelled: .cancelled
        case .finished: .finished
        }
    }

    /// What was asked for; `nil` until the work on the wire is over.
    public var request: RequestMessage? { task.raw?.request }

    /// The head of the answer; `nil` until the work on the wire is over.
    public var response: HTTPResponse? { task.raw?.head?.response }

    /// The content of the answer; `nil` until the work on the wire is over.
    public var data: Data? { task.raw?.data }

    /// Why the work on the wire failed.
    public var error: ApusError? { task.raw?.error }

    /// What has been measured so far.
    public var metrics: RequestMetrics { task.context.metrics }

    /// Starts the request, or lets it go on.
    @discardableResult
    public func resume() -> Self {
        task.resume()
        return self
    }

    /// Holds the request back: one that has not started does not start, one that is under way does not read on.
    @discardableResult
    public func suspend() -> Self {
        task.suspend()
        return self
    }

    /// Gives the request up. What has completed stays as it is.
    @discardableResult
    public func cancel() -> Self {
        task.cancel(.user)
        return self
    }

    /// Tells how much of the content is here.
    ///
    /// - Parameters:
    ///   - queue: Where `handler` is called; `.main` by default.
    ///   - handler: Given the decoded bytes so far and the bytes in all, `nil` where they are not known.
    /// - Returns: The request.
    @discardableResult
    public func downloadProgress(
        queue: DispatchQueue = .main,
        _ handler: @escaping @Sendable (_ completed: Int64, _ total: Int64?) -> Void
    ) -> Self {
        task.listen(ProgressListener(queue: queue, handler: handler))
        return self
    }
}

extension DataRequest: CustomStringConvertible {
    /// Method, URL, and the status once it is known.
    public var description: String {
        guard let request else { return "request \(id), \(state)" }
        let status = response.map { " (\($0.status.code))" } ?? ""
        return "\(request.method.rawValue) \(Redaction.url(request.target.uri))\(status)"
    }
}
