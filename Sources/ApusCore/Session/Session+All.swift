public import Dispatch

/// All requests of a session: those that have a handle, stream requests, and streamed responses.
///
/// Direct calls are not included. Cancelling the task that awaits a direct call cancels it.
extension Session {
    /// The handles that were started and are not complete, in no particular order. A ``DataStreamRequest`` is not
    /// included.
    public var activeRequests: [any Request] { core.limiter.handles.map(\.request) }

    /// Calls `perform` with all handles that were started and are not complete.
    ///
    /// - Parameter perform: Called once, before this returns. Requests may complete during the call.
    public func withAllRequests(perform: ([any Request]) throws -> Void) rethrows {
        try perform(activeRequests)
    }

    /// Cancels all active requests and returns after their completion handlers have been scheduled.
    ///
    /// Streamed responses and stream requests are cancelled too. Direct calls are not. Requests created after this call
    /// are not affected.
    /// The completion handlers may still be running when it returns.
    public func cancelAllRequests() async {
        let handles = cancelAll()
        await core.limiter.waitUntilComplete(handles)
    }

    /// Cancels the active requests that a condition selects, and returns after their completion handlers have been
    /// scheduled. Streamed responses, stream requests and direct calls are not included.
    ///
    /// ```swift
    /// await session.cancelAllRequests { $0.options[RequestLabel.self]?.name == "search" }
    /// ```
    ///
    /// - Parameter condition: Returns whether to cancel a request. Called once for each, before this waits.
    public func cancelAllRequests(where condition: (any Request) throws -> Bool) async rethrows {
        let handles = try core.limiter.handles.filter { try condition($0.request) }
        cancel(handles)
        await core.limiter.waitUntilComplete(handles)
    }

    /// Cancels all active requests.
    ///
    /// Streamed responses and stream requests are cancelled too. Direct calls are not.
    ///
    /// - Parameters:
    ///   - queue: The queue that `completion` is called on. Default: `.main`.
    ///   - completion: Called once the completion handlers of the requests have been scheduled. It runs after those on
    ///     the same queue.
    public func cancelAllRequests(
        completingOnQueue queue: DispatchQueue = .main,
        completion: (@Sendable () -> Void)? = nil
    ) {
        let handles = cancelAll()
        guard let completion else { return }
        let core = core
        Task {
            await core.limiter.waitUntilComplete(handles)
            core.mainQueueWatch.deliver(on: queue, completion)
        }
    }

    private func cancelAll() -> [RequestTask] {
        let handles = core.limiter.handles
        cancel(handles)
        for holder in core.limiter.slotHolders { holder.fail(CancelReason.user.error) }
        return handles
    }

    private func cancel(_ handles: [RequestTask]) {
        let waiting = handles.compactMap { $0.cancel(.user, withdrawing: false) }
        for waiter in core.limiter.withdraw(waiting) { waiter.enter(CancelReason.user.error) }
    }
}

extension RequestTask {
    /// Returns a handle of the request. All handles of a request are equivalent.
    fileprivate var request: any Request {
        download == nil ? DataRequest(task: self) : DownloadRequest(task: self)
    }
}
