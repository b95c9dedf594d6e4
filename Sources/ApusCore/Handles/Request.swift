public import Dispatch
public import HTTPTypes

/// What all handles share: a request that is chainable, and inert until it is resumed or asked for its answer.
///
/// It completes exactly once for everyone who asks, with a value or one `ApusError`.
///
/// ## Cancellation
/// `cancel()` before a connection was granted closes nothing; after that it closes the connection (HTTP/1.1).
public protocol Request: AnyObject, Sendable, CustomStringConvertible {
    /// The engine room behind the handle; nothing for users to do there.
    var engineRoom: RequestEngineRoom { get }
}

/// The engine room behind a handle.
public struct RequestEngineRoom: Sendable {
    package let task: RequestTask
}

/// What a request is doing.
public enum RequestState: Sendable, Hashable {
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

extension Request {
    package var task: RequestTask { engineRoom.task }

    /// Tells the request apart in logs and events.
    public var id: RequestID { task.context.id }

    /// What the request is doing.
    public var state: RequestState {
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

    /// Why the work on the wire failed.
    public var error: ApusError? { task.raw?.error }

    /// What has been measured so far.
    public var metrics: RequestMetrics { task.context.metrics }

    /// How often the request has gone again because a retrier said so.
    public var retryCount: Int { task.context.retryCount }

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

    /// Tells how much of the answer's content is here.
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
        task.listen(to: .download, ProgressListener(queue: queue, handler: handler))
        return self
    }

    /// Tells how much of the request's content was handed to the wire; from the beginning again where it is sent again.
    ///
    /// - Parameters:
    ///   - queue: Where `handler` is called; `.main` by default.
    ///   - handler: Given the bytes so far and the bytes in all, `nil` where they are not known.
    /// - Returns: The request.
    @discardableResult
    public func uploadProgress(
        queue: DispatchQueue = .main,
        _ handler: @escaping @Sendable (_ completed: Int64, _ total: Int64?) -> Void
    ) -> Self {
        task.listen(to: .upload, ProgressListener(queue: queue, handler: handler))
        return self
    }

    /// Method, URL, and the status once it is known.
    public var description: String {
        guard let request else { return "request \(id), \(state)" }
        let status = response.map { " (\($0.status.code))" } ?? ""
        return "\(request.method.rawValue) \(Redaction.url(request.target.uri))\(status)"
    }
}

extension Request {
    /// Refuses an answer whose status is not from 200 to 299, or whose content type the request's Accept field
    /// does not name.
    @discardableResult
    public func validate() -> Self {
        task.append(.ofSuccess)
        return self
    }

    /// Refuses an answer whose status is not one of `statusCodes`.
    @discardableResult
    public func validate<Codes: Sequence & Sendable>(statusCode statusCodes: Codes) -> Self where Codes.Element == Int {
        switch statusCodes {
        case let range as Range<Int>: task.append(.status(range))
        case let codes as [Int]: task.append(.statusOneOf(Set(codes)))
        case let codes as Set<Int>: task.append(.statusOneOf(codes))
        default: task.append(.statusIn { statusCodes.contains($0) })
        }
        return self
    }

    /// Refuses an answer whose content is not of one of `types`: `application/json`, `application/*+json`, `image/*`,
    /// `*/*`.
    ///
    /// An empty content passes; a missing content type passes only `*/*`. Names compare without regard to case.
    ///
    /// - Parameter types: The acceptable types, asked for when the head of the answer is here.
    /// - Returns: The request.
    @discardableResult
    public func validate(contentType types: @escaping @Sendable @autoclosure () -> [String]) -> Self {
        task.append(.contentType(types))
        return self
    }
}

extension Request {
    /// Gives `interceptor` a say in this request, after those that have one; too late once it is on its way.
    @discardableResult
    public func interceptor(_ interceptor: any RequestInterceptor) -> Self {
        task.intercept { $0.append(interceptor) }
        return self
    }

    /// Has `adapter` change this request before each attempt, after those that do; too late once it is on its way.
    @discardableResult
    public func adapt(using adapter: any RequestAdapter) -> Self {
        task.intercept { $0.append(adapter: adapter) }
        return self
    }

    /// Asks `retrier` whether this request goes again, after those that are asked; too late once it is on its way.
    @discardableResult
    public func retry(using retrier: any RequestRetrier) -> Self {
        task.intercept { $0.append(retrier: retrier) }
        return self
    }
}
