public import ApusCore
internal import Foundation

/// An upload that survives interruptions: it goes on at the byte that the server has confirmed last.
///
/// ```swift
/// let upload = session.uploadResumably(movie, to: "https://api.example.org/movies")
/// let response = try await upload.response().validate()
/// ```
///
/// The first request is an ordinary upload with two more fields. A server that supports resumable uploads answers with
/// an interim response, 104, which has the URL of an *upload resource*. If the connection fails after that, or the
/// server has an error, the upload waits, asks that resource for its offset (HEAD), and sends the rest (PATCH). For a
/// server without support, and through a proxy that drops interim responses, the upload is the first request alone.
///
/// The response of the whole upload is that of the request that has completed it, with any status. If the server has
/// completed the upload and that response was lost, it is the response of the HEAD request, which has no body.
///
/// A limit of the server for the size of a request (`Upload-Limit`) is kept once it is known: the rest is sent in
/// parts.
///
/// ## Bodies
/// The body has to be readable from any byte: data in memory, a file, or `RequestBody.replayable` with a length, whose
/// stream is read from its beginning. A file must not change until the upload is complete. Its size and modification
/// time are compared before each request, and a difference fails the upload with `fileChanged`. Bodies of resumable
/// uploads are never compressed.
///
/// ## Requests
/// The requests to the upload resource have the fields and options of the first one, except for fields that describe
/// its content or make it conditional. They carry credentials, so an upload resource must be on the origin that the
/// first request was made for, and named by that origin. Any other is not used, and a redirect to another origin is not
/// followed.
/// Each request has its own deadline, and is adapted and authenticated like any other. A `RetryPolicy` of the session
/// does not retry them, since the upload does that itself.
///
/// ## Cancellation
/// Cancelling a task that awaits the response cancels the upload, for all tasks that await it. The server keeps its
/// part, so that `state` can be continued, also by another process.
///
/// See https://datatracker.ietf.org/doc/draft-ietf-httpbis-resumable-upload/
public final class ResumableUpload: Sendable {
    /// The versions of the draft, by the number in the field `Upload-Draft-Interop-Version`.
    public enum InteropVersion: Int, Sendable, Hashable, Codable, CaseIterable {
        /// Drafts 04 and 05. The server of swift-nio-extras speaks it.
        case v6 = 6
        /// Drafts 06 to 08.
        case v7 = 7
        /// Drafts 09 and later.
        case v8 = 8
    }

    typealias Outcome = Result<Response, ApusError>

    /// The parts of the upload that change.
    struct Status {
        var isStarted = false
        var isCancelled = false
        /// Whether the cancelled upload is removed from the server.
        var discards = false
        var isOver = false
        /// The number of the current request. Reports of earlier ones are ignored.
        var requestNumber = 0
        var request: Task<Outcome, Never>?
        var pause: Task<Void, Never>?
        var state: State?
        /// The number of lifetimes that the server has announced, and the end of the last one.
        var lifetimeCount = 0
        var expiry: Date?
        var watchers: [Int: AsyncStream<State>.Continuation] = [:]
        var nextWatcher = 0
    }

    let session: Session
    let source: Source
    let policy: Policy
    let progress: ProgressTracker
    let status: Lock<Status>
    private let outcome = Deferred<Outcome>()

    init(session: Session, source: Source, policy: Policy) {
        self.session = session
        self.source = source
        self.policy = policy
        self.progress = ProgressTracker(AnySessionClock(session.configuration.time))
        var status = Status()
        if case .continuation(let state, _, _, _) = source { (status.state, status.expiry) = (state, state.expiry) }
        self.status = Lock(status)
    }

    deinit {
        // An upload that was never started.
        for watcher in status.withLock({ $0.watchers }).values { watcher.finish() }
    }

    /// Starts the upload, and returns its response when it is complete.
    ///
    /// Any number of tasks can await it. All of them get the same result.
    ///
    /// - Returns: The response, with any status.
    /// - Throws: `ApusError`: `bodyNotReplayable` for a body that can't be resumed, `fileUnreadable` or `fileChanged`
    ///   for its file, `invalidRequest` if it exceeds a limit of the server, `malformedResponse` if the server
    ///   contradicts itself, `unacceptableStatus` if it does not continue the upload, and any error of a request, the
    ///   last one after `retryLimit` retries without progress.
    ///
    /// ## Cancellation
    /// Cancelling the task cancels the upload. The server keeps its part.
    public func response() async throws(ApusError) -> Response {
        if Task.isCancelled { cancel() }
        resume()
        return try await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            cancel()
        }.get()
    }

    /// Starts the upload. It goes on until it is complete or cancelled, even if this object is released.
    ///
    /// - Returns: The upload.
    @discardableResult
    public func resume() -> Self {
        let isFirst = status.withLock { status in
            defer { status.isStarted = true }
            return !status.isStarted
        }
        if isFirst { Task { outcome.fulfill(await run()) } }
        return self
    }

    /// Cancels the upload. Has no effect once it is complete.
    ///
    /// - Parameter discarding: Whether the server is asked to remove its part (DELETE). If so, the upload ends after
    ///   the server has answered, and there is no `state` to continue. Default: `false`.
    public func cancel(discarding: Bool = false) {
        let (request, pause) = status.withLock { status -> (Task<Outcome, Never>?, Task<Void, Never>?) in
            guard !status.isOver else { return (nil, nil) }
            status.isCancelled = true
            status.discards = status.discards || discarding
            return (status.request, status.pause)
        }
        request?.cancel()
        pause?.cancel()
        // An upload of another process may have a part at the server.
        if discarding { resume() }
    }

    /// The progress so far: the bytes that the server has confirmed, and those that were written to the connection
    /// since.
    ///
    /// After an interruption it continues from the confirmed bytes, so it may go back.
    public var uploadProgress: TransferProgress { progress.current }

    /// Returns the progress as a sequence.
    ///
    /// It yields each report from now on, and ends with the upload. It does not start the upload, and does not cancel
    /// it if its reader is cancelled. Each call returns a new sequence, for one reader.
    ///
    /// - Parameter bufferingPolicy: The reports that are kept for a slow reader. Default: the newest.
    /// - Returns: The sequence.
    public func uploadProgress(
        bufferingPolicy: AsyncStream<TransferProgress>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<TransferProgress> {
        let progress = progress
        let (stream, continuation) = AsyncStream.makeStream(of: TransferProgress.self, bufferingPolicy: bufferingPolicy)
        let observer = ProgressObserver(report: { continuation.yield($0) }, end: { _ in continuation.finish() })
        guard let id = progress.add(observer) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak progress] _ in progress?.remove(id) }
        return stream
    }

    /// The state from which the upload can be continued, also by another process. `nil` until the server has announced
    /// an upload resource, and after the upload is complete or removed.
    public var state: State? { status.withLock { $0.state } }

    /// Returns the states from which the upload can be continued, for a program that keeps the latest one in a file.
    ///
    /// It yields the current state, if there is one, and each later one. It ends with the upload. Each call returns a
    /// new sequence, for one reader, which keeps the newest state for a slow reader.
    ///
    /// - Returns: The sequence.
    public func states() -> AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        let (state, id) = status.withLock { status -> (State?, Int?) in
            guard !status.isOver else { return (status.state, nil) }
            defer { status.nextWatcher += 1 }
            status.watchers[status.nextWatcher] = continuation
            return (status.state, status.nextWatcher)
        }
        if let state { continuation.yield(state) }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.removeWatcher(id) }
        return stream
    }

    private func removeWatcher(_ id: Int) {
        // Released outside the lock.
        let removed = status.withLock { $0.watchers.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }
}

extension ResumableUpload: CustomStringConvertible {
    /// The progress, without the URL of the upload resource.
    public var description: String { "resumable upload, \(uploadProgress)" }
}
