public import Foundation

/// The progress of the response body, in the bytes that were received: those of a compressed body count as they arrive,
/// before they are decoded.
extension Request {
    /// The progress of the response body so far. After the end of the request, its last progress.
    public var downloadProgress: TransferProgress { task.progress(of: .download) }

    /// Reports the progress of the response body to a handler.
    ///
    /// Besides the first and the last report there is at most one in ``TransferProgress/reportInterval``. Those that
    /// arrive before the handler was called are merged into the latest one. The last report is scheduled before the
    /// completion handlers of the request are. The handler is released when the request ends.
    ///
    /// - Parameters:
    ///   - queue: The queue that `handler` is called on. Default: `.main`.
    ///   - handler: Receives the progress. After a retry it restarts at 0. A download that is continued then goes on at
    ///     the first byte that is requested.
    /// - Returns: The request.
    @discardableResult
    public func downloadProgress(
        queue: DispatchQueue = .main,
        _ handler: @escaping @Sendable (_ progress: TransferProgress) -> Void
    ) -> Self {
        task.listen(to: .download, ProgressListener(queue: queue, handler: handler))
        return self
    }

    /// Returns the progress of the response body as a sequence.
    ///
    /// It yields each report from now on, at most one in ``TransferProgress/reportInterval`` besides the first and the
    /// last, and ends with the request. It does not start the request, does not keep it, and does not cancel it if its
    /// reader is cancelled. Each call returns a new sequence, for one reader.
    ///
    /// - Parameter bufferingPolicy: The reports that are kept for a slow reader. Default: the newest.
    /// - Returns: The sequence.
    public func downloadProgress(
        bufferingPolicy: AsyncStream<TransferProgress>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<TransferProgress> {
        task.updates(of: .download, bufferingPolicy)
    }

    /// Returns a `Progress` of Foundation that follows the response body and controls the request.
    ///
    /// Its `cancel()`, `pause()` and `resume()`, or those of a parent, cancel, suspend and resume the request. Its
    /// `totalUnitCount` is −1 while the total is unknown. It reaches its total when the request has ended, since a
    /// parent counts a finished child for good, and a retry restarts the transfer. An empty body ends as one unit of
    /// one. If the request fails before its body is complete, the object does not finish.
    ///
    /// The object does not hold the request. On Linux a `Progress` is not safe to use from several threads, so use it
    /// on `queue` there.
    ///
    /// - Parameter queue: The serial queue on which the object changes. Default: `.main`.
    /// - Returns: A new object without a parent.
    public func makeDownloadProgress(queue: DispatchQueue = .main) -> Progress {
        task.makeProgress(of: .download, on: queue)
    }
}

/// The progress of the request body, in the bytes that were written to the connection.
extension Request {
    /// The progress of the request body so far. After the end of the request, its last progress.
    public var uploadProgress: TransferProgress { task.progress(of: .upload) }

    /// Reports the progress of the request body to a handler.
    ///
    /// Besides the first and the last report there is at most one in ``TransferProgress/reportInterval``. Those that
    /// arrive before the handler was called are merged into the latest one. The last report is scheduled before the
    /// completion handlers of the request are. The handler is released when the request ends.
    ///
    /// - Parameters:
    ///   - queue: The queue that `handler` is called on. Default: `.main`.
    ///   - handler: Receives the progress. If the body is sent again, it restarts at 0.
    /// - Returns: The request.
    @discardableResult
    public func uploadProgress(
        queue: DispatchQueue = .main,
        _ handler: @escaping @Sendable (_ progress: TransferProgress) -> Void
    ) -> Self {
        task.listen(to: .upload, ProgressListener(queue: queue, handler: handler))
        return self
    }

    /// Returns the progress of the request body as a sequence. See ``downloadProgress(bufferingPolicy:)``.
    ///
    /// - Parameter bufferingPolicy: The reports that are kept for a slow reader. Default: the newest.
    /// - Returns: The sequence.
    public func uploadProgress(
        bufferingPolicy: AsyncStream<TransferProgress>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<TransferProgress> {
        task.updates(of: .upload, bufferingPolicy)
    }

    /// Returns a `Progress` of Foundation that follows the request body and controls the request. See
    /// ``makeDownloadProgress(queue:)``.
    ///
    /// - Parameter queue: The serial queue on which the object changes. Default: `.main`.
    /// - Returns: A new object without a parent.
    public func makeUploadProgress(queue: DispatchQueue = .main) -> Progress {
        task.makeProgress(of: .upload, on: queue)
    }
}
