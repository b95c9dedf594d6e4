public import HTTPTypes

/// The common interface of all request handles. A handle is chainable and does nothing until it is started.
///
/// A request completes exactly once for each handler, with a value or one `ApusError`.
///
/// ## Cancellation
/// `cancel()` closes the connection once one was assigned, over HTTP/2 only its stream. Before that it closes no connection.
///
/// If user code does not return, a middleware for example, the request ends one second after it was cancelled or after
/// its deadline. A request that is released before it was started ends with `cancelled`.
public protocol Request: AnyObject, Sendable, CustomStringConvertible {
    /// The implementation behind the handle. Not for direct use.
    var storage: RequestStorage { get }
}

/// The implementation behind a handle.
public struct RequestStorage: Sendable {
    package let task: RequestTask
}

/// The state of a request.
public enum RequestState: Sendable, Hashable {
    /// The request was created and not started.
    case initialized
    /// The request is running or queued.
    case resumed
    /// The request is suspended: it does not start, or pauses the transfer of both bodies.
    case suspended
    /// The request was cancelled. Terminal.
    case cancelled
    /// The request is complete.
    case finished
}

extension Request {
    package var task: RequestTask { storage.task }

    /// The identifier of the request in logs and events.
    public var id: RequestID { task.context.id }

    /// The options of the call that made the request. They are set in its message, and adapters may change them there.
    public var options: RequestOptions { task.context.options }

    /// The state of the request.
    public var state: RequestState {
        switch task.life {
        case .initialized: .initialized
        case .resumed: .resumed
        case .suspended: .suspended
        case .cancelled: .cancelled
        case .finished: .finished
        }
    }

    /// The request message of the last attempt. `nil` until the exchange is complete.
    public var request: RequestMessage? { task.raw?.request }

    /// The response head. `nil` until the exchange is complete.
    public var response: HTTPResponse? { task.raw?.head?.response }

    /// The status as a number. `nil` until the exchange is complete.
    public var statusCode: Int? { task.raw?.head?.status.code }

    /// The error of the exchange, if it failed.
    public var error: ApusError? { task.raw?.error }

    /// The metrics recorded so far.
    public var metrics: RequestMetrics { task.context.metrics }

    /// The number of retries that retriers have caused.
    public var retryCount: Int { task.context.retryCount }

    /// Starts or resumes the request.
    @discardableResult
    public func resume() -> Self {
        task.resume()
        return self
    }

    /// Suspends the request. A request that has not started does not start. A running one pauses the transfer of both
    /// bodies: it sends no further chunk of its own, and does not read the response on.
    ///
    /// `resume()` continues both where they were, on the same connection. Bytes that the connection has taken still
    /// arrive, and a body of up to 16 KiB in memory is sent with its head. Other requests on an HTTP/2 connection are
    /// not affected.
    ///
    /// The limits on idle time do not apply while a body is held back, and begin anew. The deadline of the request
    /// continues to run, and a server may close a connection that is silent for a while. A `Transport` of your own sends
    /// the request body on.
    ///
    /// - Returns: The request.
    @discardableResult
    public func suspend() -> Self {
        task.suspend()
        return self
    }

    /// Cancels the request. A completed request is not affected.
    @discardableResult
    public func cancel() -> Self {
        task.cancel(.user)
        return self
    }

    /// The method, the URL, and the status once it is known.
    public var description: String {
        guard let request else { return "request \(id), \(state)" }
        let status = response.map { " (\($0.status.code))" } ?? ""
        return "\(request.method.rawValue) \(Redaction.url(request.target.uri))\(status)"
    }
}

extension Request {
    /// Rejects a response whose status is not from 200 to 299, or whose content type does not match the request's
    /// Accept field.
    @discardableResult
    public func validate() -> Self {
        task.append(.ofSuccess)
        return self
    }

    /// Rejects a response whose status is not one of `statusCodes`.
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

    /// Rejects a response whose content type is not one of `types`, such as `application/json`, `application/*+json`,
    /// `image/*` or `*/*`.
    ///
    /// An empty body passes. A missing content type passes only `*/*`. Names are compared case-insensitively.
    ///
    /// - Parameter types: The acceptable types, evaluated when the response head has arrived.
    /// - Returns: The request.
    @discardableResult
    public func validate(contentType types: @escaping @Sendable @autoclosure () -> [String]) -> Self {
        task.append(.contentType(types))
        return self
    }
}

extension Request {
    /// Adds an interceptor, which runs after existing ones. Has no effect once the request is running.
    @discardableResult
    public func interceptor(_ interceptor: any RequestInterceptor) -> Self {
        task.intercept { $0.append(interceptor) }
        return self
    }

    /// Adds an adapter, which runs before each attempt, after existing ones. Has no effect once the request is running.
    @discardableResult
    public func adapt(using adapter: any RequestAdapter) -> Self {
        task.intercept { $0.append(adapter: adapter) }
        return self
    }

    /// Adds a retrier, which is called after existing ones. Has no effect once the request is running.
    @discardableResult
    public func retry(using retrier: any RequestRetrier) -> Self {
        task.intercept { $0.append(retrier: retrier) }
        return self
    }
}
