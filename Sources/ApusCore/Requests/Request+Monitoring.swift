public import Dispatch

extension Request {
    /// Notifies a monitor of the events of this request alone, after the monitors of its session.
    ///
    /// - Parameter monitor: The monitor. It gets the events from now on, and is released when the request is complete.
    /// - Returns: The request.
    @discardableResult
    public func eventMonitor(using monitor: any EventMonitor) -> Self {
        task.add(monitor)
        return self
    }

    /// Calls a handler with each request that is sent for this handle, as it is sent: once for each attempt.
    ///
    /// Redirects, challenges and hedges are not included.
    ///
    /// - Parameters:
    ///   - queue: The queue that `handler` is called on. Default: `.main`.
    ///   - handler: Receives the request.
    /// - Returns: The request.
    @discardableResult
    public func onRequestCreation(
        on queue: DispatchQueue = .main,
        perform handler: @escaping @Sendable (RequestMessage) -> Void
    ) -> Self {
        eventMonitor(using: CreationMonitor(queue: queue, handler: handler))
    }

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
}

private struct CreationMonitor: EventMonitor {
    let queue: DispatchQueue
    let handler: @Sendable (RequestMessage) -> Void

    func request(_ request: RequestSummary, did event: RequestEvent) {
        guard case .exchangeBegan(let message, let cause) = event, cause == .first || cause == .retry else { return }
        handler(message)
    }
}
