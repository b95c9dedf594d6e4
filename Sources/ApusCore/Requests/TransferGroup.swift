public import Dispatch

/// Several requests whose transfers have one progress.
///
/// ```swift
/// let group = TransferGroup()
/// for name in ["archive.zip", "manual.pdf"] {
///     group.add(session.download("https://example.org/\(name)", to: .folder(folder)))
/// }
/// group.onProgress { print($0) }.resume()
/// await group.waitForAll()
/// print(group.finishedCount, group.failedCount)
/// ```
///
/// Requests of any session can be added at any time, also while others run. Adding a request does not start it. A group
/// has no limit of its own for the requests at a time, and keeps nothing on disk, as a `TransferQueue` does. It keeps a
/// request until that has finished. A group that is released cancels the requests that were not started, unless the
/// caller has their handles. Those that run continue, and their progress is still reported.
public final class TransferGroup: Sendable {
    /// The body of a request whose progress counts.
    public enum Direction: Sendable, Hashable {
        /// The request body.
        case upload
        /// The response body.
        case download
    }

    private let transfers = GroupedTransfers()

    /// Creates a group without requests.
    public init() {}

    deinit { transfers.release() }

    /// Adds a request. A request that has finished counts as such.
    ///
    /// Each call counts: a request that is added for both of its bodies counts twice.
    ///
    /// - Parameters:
    ///   - request: The handle of the request.
    ///   - direction: The body whose progress counts. Default: the response body.
    /// - Returns: The handle.
    @discardableResult
    public func add<Handle: Request>(_ request: Handle, direction: Direction = .download) -> Handle {
        transfers.add(request.task, direction == .upload ? .upload : .download)
        return request
    }

    // MARK: State

    /// The number of requests that were added.
    public var requestCount: Int { transfers.counts.all }

    /// The number of requests that have finished, with a response or with an error.
    ///
    /// A request has finished when its response is complete, no retrier wants another attempt, and a downloaded file is
    /// at its destination. Its handlers may be called later.
    public var finishedCount: Int { transfers.counts.finished }

    /// The number of requests that have finished with an error of their exchange, or were cancelled. See
    /// ``Request/error``.
    public var failedCount: Int { transfers.counts.failed }

    /// Whether all requests that were added have finished. `true` without requests.
    public var isFinished: Bool { transfers.counts.isOver }

    /// The sum of the progress of all requests, measured now.
    ///
    /// The total is `nil` while that of a request is unknown, and without requests. A request that has finished counts
    /// with the bytes that it has transferred, so after a failure the total is smaller. If a request transfers its body
    /// again, the sum goes back. The throughput does not, since it counts bytes as they move. It is measured by the
    /// clock of the first request's session, and begins anew if a request is added after all others have finished.
    public var progress: TransferProgress { transfers.progress }

    // MARK: Control

    /// Starts or resumes all requests that have not finished, in the order in which they were added.
    ///
    /// - Returns: The group.
    @discardableResult
    public func resume() -> Self {
        for task in transfers.tasks { task.resume() }
        return self
    }

    /// Suspends all requests that have not finished. Those that are added later are not affected.
    ///
    /// - Returns: The group.
    @discardableResult
    public func suspend() -> Self {
        for task in transfers.tasks { task.suspend() }
        return self
    }

    /// Cancels all requests that have not finished. Those that are added later are not affected.
    ///
    /// - Returns: The group.
    @discardableResult
    public func cancel() -> Self {
        for task in transfers.tasks { task.cancel(.user) }
        return self
    }

    /// Waits until all requests have finished, including those that are added while it waits. Does not start them.
    ///
    /// Returns at once without requests, and if its task is cancelled. This does not cancel the requests. The last
    /// report of the progress is scheduled before it returns.
    public func waitForAll() async { await transfers.wait() }

    // MARK: Reports

    /// Reports the progress to a handler.
    ///
    /// Reports that arrive before the handler was called are merged into the latest one. Besides the first and the last
    /// report there is at most one in ``TransferProgress/reportInterval``. The handler is kept until the group is
    /// released and its running requests have finished, so it must not hold the group.
    ///
    /// - Parameters:
    ///   - queue: The queue that `handler` is called on. Default: `.main`.
    ///   - handler: Receives the progress. If a request transfers its body again, it goes back.
    /// - Returns: The group.
    @discardableResult
    public func onProgress(
        queue: DispatchQueue = .main,
        _ handler: @escaping @Sendable (_ progress: TransferProgress) -> Void
    ) -> Self {
        transfers.add(ProgressListener(queue: queue, handler: handler))
        return self
    }

    /// Returns the progress as a sequence.
    ///
    /// It yields each report from now on, and ends when all requests have finished. In a group without requests it
    /// waits for the first one. If all requests have finished already, it is empty. It does not start the requests, and
    /// does not cancel them if its reader is cancelled. Each call returns a new sequence, for one reader.
    ///
    /// - Parameter bufferingPolicy: The reports that are kept for a slow reader. Default: the newest.
    /// - Returns: The sequence.
    public func progressUpdates(
        bufferingPolicy: AsyncStream<TransferProgress>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<TransferProgress> {
        transfers.updates(bufferingPolicy)
    }
}
