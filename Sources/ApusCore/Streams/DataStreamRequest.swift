public import HTTPTypes

/// A request whose response body is passed to handlers while it arrives.
///
/// ```swift
/// session.streamRequest("https://api.example.org/log")
///     .validate()
///     .responseStreamString { stream in
///         switch stream.event {
///         case .stream(let result): print(result.get())
///         case .complete(let completion): print(completion.error?.detail ?? "done")
///         }
///     }
/// ```
///
/// The first stream handler starts the request, unless `startRequestsImmediately` is off. Each handler gets each chunk,
/// in order and one at a time, and then exactly one completion. If its first chunks were dropped when a handler is
/// added, because all earlier handlers have had them, it gets those from then on. Add all handlers to a suspended
/// request to be sure of all chunks: `session.streamRequest(url).suspend()`.
///
/// The body is read no faster than the slowest handler, see ``ChunksInFlight``. A request that was resumed without a
/// handler reads up to this limit, and then waits for one.
///
/// The message is built once. Retriers decide when the response head has arrived, or if there is none. A body that
/// breaks off is not retried, since its chunks have been passed on. Interceptors, credentials and redirect handlers of
/// a single request are its options.
///
/// A running request keeps its session. A request that was not started does not, and fails with `sessionGone` if it is
/// started later.
///
/// ## Cancellation
/// `cancel()` closes the connection once one was assigned, over HTTP/2 only its stream. Chunks that were received and not passed on are
/// dropped, and each handler gets its completion with `cancelled`. A handle that is released before the request was
/// started, or while no handler waits for it, cancels the request.
public final class DataStreamRequest: Sendable {
    let runner: StreamRunner

    init(runner: StreamRunner) {
        self.runner = runner
    }

    deinit { runner.release() }

    /// The identifier of the request in logs and events.
    public var id: RequestID { runner.context.id }

    /// The options of the call that made the request.
    public var options: RequestOptions { runner.context.options }

    /// The state of the request. It is finished once each handler has had all chunks.
    public var state: RequestState { runner.life }

    /// Whether the request was created and not started.
    public var isInitialized: Bool { state == .initialized }

    /// Whether the request is running or queued.
    public var isResumed: Bool { state == .resumed }

    /// Whether the request is suspended.
    public var isSuspended: Bool { state == .suspended }

    /// Whether the request was cancelled.
    public var isCancelled: Bool { state == .cancelled }

    /// Whether the request is complete.
    public var isFinished: Bool { state == .finished }

    /// The request message. `nil` until it is built.
    public var request: RequestMessage? { runner.request }

    /// The response head. `nil` until it has arrived.
    public var response: HTTPResponse? { runner.response }

    /// The status as a number. `nil` until the response head has arrived.
    public var statusCode: Int? { response?.status.code }

    /// The error of the request, if it failed or was cancelled.
    public var error: ApusError? { runner.error }

    /// The metrics recorded so far.
    public var metrics: RequestMetrics { runner.context.metrics }

    /// The number of retries that retriers have caused.
    public var retryCount: Int { runner.context.retryCount }

    /// Starts or resumes the request.
    @discardableResult
    public func resume() -> Self {
        runner.resume()
        return self
    }

    /// Suspends the request. A request that has not started does not start. A running one sends no further chunk of its
    /// body, and does not read on, so that the server is held back. Handlers still get the chunks that were passed on
    /// before.
    @discardableResult
    public func suspend() -> Self {
        runner.suspend()
        return self
    }

    /// Cancels the request. A completed request is not affected.
    @discardableResult
    public func cancel() -> Self {
        runner.cancel(CancelReason.user.error)
        return self
    }

    /// Notifies a monitor of the events of this request alone, after the monitors of its session.
    ///
    /// - Parameter monitor: The monitor. It gets the events from now on, and is released when the request is complete.
    /// - Returns: The request.
    @discardableResult
    public func eventMonitor(using monitor: any EventMonitor) -> Self {
        runner.add(monitor)
        return self
    }

    /// Returns the sequences of the request, to be read in tasks.
    public func streamTask() -> DataStreamTask { DataStreamTask(request: self) }
}

extension DataStreamRequest: Hashable {
    /// Whether both are the same handle.
    public static func == (left: DataStreamRequest, right: DataStreamRequest) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension DataStreamRequest: CustomStringConvertible {
    /// The method, the URL, and the status once it is known.
    public var description: String {
        guard let request else { return "request \(id), \(state)" }
        let status = statusCode.map { " (\($0))" } ?? ""
        return "\(request.method.rawValue) \(Redaction.url(request.target.uri))\(status)"
    }
}
