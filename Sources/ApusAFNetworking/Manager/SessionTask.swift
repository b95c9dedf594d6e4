public import Apus
internal import ApusCore
public import Foundation
public import HTTPTypes

/// A request of a session manager. The counterpart of `URLSessionTask`.
///
/// ```swift
/// let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/"))
/// let task = manager.get("users/1", success: { _, object in print(object ?? "nothing") }, failure: nil)
/// task?.cancel()
/// ```
///
/// A running task keeps itself and its session alive until it completes, even if its manager is released.
public final class SessionTask: Sendable {
    /// The purpose of a task.
    public enum Kind: Sendable, Hashable {
        /// Collects the response body in memory.
        case data
        /// Sends a request body.
        case upload
        /// Saves the response body in a file.
        case download
    }

    /// The state of a task.
    public enum State: Sendable, Hashable {
        /// It is in progress or queued.
        case running
        /// It has not started, or is suspended.
        case suspended
        /// It was cancelled, and its completion handler is about to be called.
        case canceling
        /// It is complete.
        case completed
    }

    /// The progress of a body's transfer.
    public typealias Progress = TransferProgress

    /// The direction of a body.
    enum Direction: Sendable {
        case upload
        case download
    }

    private struct Transfer {
        var progress = TransferProgress()
        var observers: [ProgressObserver] = []

        /// Removes the observers, which end with the task. Returns the transfer with them.
        mutating func end() -> Transfer {
            defer { observers = [] }
            return self
        }
    }

    private struct Contents {
        var machine = SessionTaskStateMachine<Begun>()
        var description: String?
        var upload = Transfer()
        var download = Transfer()
        var response: HTTPResponse?
        var error: ApusError?

        subscript(direction: Direction) -> Transfer {
            get { direction == .upload ? upload : download }
            set { if direction == .upload { upload = newValue } else { download = newValue } }
        }
    }

    /// A started request and its session.
    struct Begun: Sendable {
        let session: Session
        let handle: any Request
        /// Registers the response handlers.
        let listen: @Sendable () -> Void
    }

    /// The implementation of a task.
    struct Work: Sendable {
        /// Creates the handle without starting it.
        let begin: @Sendable (SessionTask, Session) -> Begun
        /// Ends the task with an error before a handle exists.
        let fail: @Sendable (SessionTask, ApusError) -> Void
    }

    /// Identifies the task among those of its manager.
    public let taskIdentifier: Int
    /// The purpose of the task.
    public let kind: Kind
    /// The original request. It has no body if that is a file, which is opened when the task starts.
    public let originalRequest: RequestMessage

    let core: ManagerCore
    private let work: Work
    /// The reference in the options of the request.
    let reference = TaskReference()
    private let contents = Lock(Contents())

    init(_ kind: Kind, _ identifier: Int, _ request: RequestMessage, core: ManagerCore, work: Work) {
        self.kind = kind
        self.taskIdentifier = identifier
        self.originalRequest = request
        self.core = core
        self.work = work
    }

    /// A custom description of the task.
    public var taskDescription: String? {
        get { contents.withLock { $0.description } }
        set { contents.withLock { $0.description = newValue } }
    }

    /// The state of the task.
    public var state: State { contents.withLock { $0.machine.state } }

    /// The response head, or `nil` until the task is complete.
    public var response: HTTPResponse? { contents.withLock { $0.response } }

    /// The error of the task, or `nil` if it is not complete or has succeeded.
    public var error: ApusError? { contents.withLock { $0.error } }

    /// The progress of sending the request body.
    public var uploadProgress: Progress { contents.withLock { $0.upload.progress } }

    /// The progress of receiving the response body.
    public var downloadProgress: Progress { contents.withLock { $0.download.progress } }

    /// Starts or resumes the task.
    public func resume() {
        if act(on: contents.withLock { $0.machine.resume() }) { core.post(.AFNetworkingTaskDidResume, about: self) }
    }

    /// Suspends the task. If it has not started, it does not start. If it is active, it neither sends nor
    /// reads on.
    public func suspend() {
        if act(on: contents.withLock { $0.machine.suspend() }) { core.post(.AFNetworkingTaskDidSuspend, about: self) }
    }

    /// Cancels the task. Its completion handler is called with an error. Has no effect on a completed task.
    ///
    /// Once the request has a connection, cancelling closes that connection (HTTP/1.1).
    public func cancel() {
        switch contents.withLock({ $0.machine.cancel() }) {
        case .ignore, .note: break
        case .end: work.fail(self, CancelReason.user.error)
        case .cancel(let begun): begun.handle.cancel()
        }
    }

    /// Performs an action of the state machine. Returns `false` if it changes nothing.
    private func act(on action: SessionTaskStateMachine<Begun>.WishAction) -> Bool {
        switch action {
        case .ignore: return false
        case .note: break
        case .begin: begin()
        case .settle(let begun): settle(begun)
        }
        return true
    }

    private func begin() {
        let begun: Begun
        do throws(ApusError) {
            begun = work.begin(self, try core.session())
        } catch {
            return work.fail(self, error)
        }
        begun.listen()
        if contents.withLock({ $0.machine.begin(begun) }) { begun.handle.cancel() }
        settle(begun)
    }

    /// Resumes or suspends the handle until it matches the flag, which may change concurrently.
    private func settle(_ begun: Begun) {
        var applied: Bool?
        while true {
            let shallRun = contents.withLock { $0.machine.shallRun }
            guard shallRun != applied else { return }
            if shallRun { begun.handle.resume() } else { begun.handle.suspend() }
            applied = shallRun
        }
    }
}

/// Progress objects of Foundation.
extension SessionTask {
    /// Returns a `Progress` of Foundation that follows the request body and controls the task.
    ///
    /// Its `cancel()`, `pause()` and `resume()`, or those of a parent, cancel, suspend and resume the task. Its
    /// `totalUnitCount` is −1 while the total is unknown, and it reaches its total when the task is complete. It does
    /// not hold the task. On Linux a `Progress` is not safe to use from several threads, so use it on `queue` there.
    ///
    /// - Parameter queue: The serial queue on which the object changes. Default: `.main`.
    /// - Returns: A new object without a parent.
    public func makeUploadProgress(queue: DispatchQueue = .main) -> Foundation.Progress {
        makeProgress(of: .upload, on: queue)
    }

    /// Returns a `Progress` of Foundation that follows the response body and controls the task.
    ///
    /// Its `cancel()`, `pause()` and `resume()`, or those of a parent, cancel, suspend and resume the task. Its
    /// `totalUnitCount` is −1 while the total is unknown, and it reaches its total when the task is complete. It does
    /// not hold the task. On Linux a `Progress` is not safe to use from several threads, so use it on `queue` there.
    ///
    /// - Parameter queue: The serial queue on which the object changes. Default: `.main`.
    /// - Returns: A new object without a parent.
    public func makeDownloadProgress(queue: DispatchQueue = .main) -> Foundation.Progress {
        makeProgress(of: .download, on: queue)
    }

    private func makeProgress(of direction: Direction, on queue: DispatchQueue) -> Foundation.Progress {
        let progress = FoundationProgress(
            contents.withLock { $0[direction].progress },
            on: queue,
            cancel: { [weak self] in self?.cancel() },
            pause: { [weak self] in self?.suspend() },
            resume: { [weak self] in self?.resume() }
        )
        let observer = progress.observer
        let last = contents.withLock { contents -> TransferProgress? in
            guard contents.machine.state != .completed else { return contents[direction].progress }
            contents[direction].observers.append(observer)
            return nil
        }
        if let last { progress.end(last) }
        return progress.object
    }

    /// Records a progress and reports it. Returns the number of bytes since the last call.
    func note(_ progress: TransferProgress, of direction: Direction) -> Int64 {
        let (before, observers) = contents.withLock { contents -> (Int64, [ProgressObserver]) in
            let before = contents[direction].progress.completed
            contents[direction].progress = progress
            return (before, contents[direction].observers)
        }
        for observer in observers { observer.report(progress) }
        // A body that is sent again starts at 0.
        return progress.completed >= before ? progress.completed - before : progress.completed
    }

    /// Records the last progress of the handle, and ends and releases all observers.
    private func endProgress(of handle: (any Request)?) {
        let last = handle.map { handle -> (TransferProgress, TransferProgress) in
            (handle.uploadProgress, handle.downloadProgress)
        }
        let (upload, download) = contents.withLock { contents -> (Transfer, Transfer) in
            if let last { (contents.upload.progress, contents.download.progress) = last }
            return (contents.upload.end(), contents.download.end())
        }
        for observer in upload.observers { observer.end(upload.progress) }
        for observer in download.observers { observer.end(download.progress) }
    }
}

extension SessionTask {
    /// Ends the task. Returns `false` if it was already complete, and the watch of the main queue, if any.
    func end(_ response: HTTPResponse?, _ error: ApusError?) -> (isFirst: Bool, watch: MainQueueWatch?) {
        let action = contents.withLock { contents in
            let action = contents.machine.end()
            if case .end = action {
                contents.response = response
                contents.error = error
            }
            return action
        }
        guard case .end(let begun) = action else { return (false, nil) }
        endProgress(of: begun?.handle)
        return (true, begun?.session.core.mainQueueWatch)
    }
}

extension SessionTask: CustomStringConvertible {
    /// The identifier, the request and the state.
    public var description: String { "task \(taskIdentifier), \(originalRequest), \(state)" }
}
