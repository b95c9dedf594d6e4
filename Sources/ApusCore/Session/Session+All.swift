public import Dispatch

/// All requests of a session at once: those that have a handle, and answers that are being streamed.
///
/// A direct call belongs to the task that awaits it, and is given up by cancelling that.
extension Session {
    /// The handles that were started and are not over, in no order.
    public var activeRequests: [any Request] { core.roster.handles.map(\.handle) }

    /// Has `perform` see every handle that was started and is not over.
    ///
    /// - Parameter perform: Called once, before this returns; requests go on meanwhile, and may end.
    public func withAllRequests(perform: ([any Request]) throws -> Void) rethrows {
        try perform(activeRequests)
    }

    /// Gives up every request that is not over, and returns when each of them has told everybody.
    ///
    /// Requests that are made meanwhile are none of them. What a completion handler does on its queue is not waited for.
    public func cancelAllRequests() async {
        let handles = giveUpAll()
        await core.roster.waitUntilGone(handles)
    }

    /// Gives up every request that is not over.
    ///
    /// - Parameters:
    ///   - queue: Where `completion` is called; `.main` by default.
    ///   - completion: Called once each of them has told everybody: behind their own handlers, where those come on the same
    ///     queue.
    public func cancelAllRequests(
        completingOnQueue queue: DispatchQueue = .main,
        completion: (@Sendable () -> Void)? = nil
    ) {
        let handles = giveUpAll()
        guard let completion else { return }
        let core = core
        Task {
            await core.roster.waitUntilGone(handles)
            core.mainQueueWatch.deliver(on: queue, completion)
        }
    }

    private func giveUpAll() -> [RequestTask] {
        let handles = core.roster.handles
        let waiting = handles.compactMap { $0.cancel(.user, withdrawing: false) }
        for applicant in core.roster.withdraw(waiting) { applicant.enter(CancelReason.user.error) }
        for lease in core.roster.leases { lease.giveUp(CancelReason.user.error) }
        return handles
    }
}

extension RequestTask {
    /// A handle of the request; one is as good as another.
    fileprivate var handle: any Request {
        destination == nil ? DataRequest(task: self) : DownloadRequest(task: self)
    }
}
