public import Apus
internal import ApusCore
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
    public struct Progress: Sendable, Hashable {
        /// The number of bytes so far.
        public var completedUnitCount: Int64 = 0
        /// The total number of bytes, or `nil` if unknown.
        public var totalUnitCount: Int64?

        /// The completed fraction, from 0 to 1. 0 if the total is unknown.
        public var fractionCompleted: Double {
            guard let totalUnitCount else { return 0 }
            return totalUnitCount > 0 ? min(Double(completedUnitCount) / Double(totalUnitCount), 1) : 1
        }
    }

    private struct Contents {
        var machine = SessionTaskStateMachine<Begun>()
        var description: String?
        var upload = Progress()
        var download = Progress()
        var response: HTTPResponse?
        var error: ApusError?
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
    public var uploadProgress: Progress { contents.withLock { $0.upload } }

    /// The progress of receiving the response body.
    public var downloadProgress: Progress { contents.withLock { $0.download } }

    /// Starts or resumes the task.
    public func resume() {
        if act(on: contents.withLock { $0.machine.resume() }) { core.post(.AFNetworkingTaskDidResume, about: self) }
    }

    /// Suspends the task. If it has not started, it does not start. If it is active, it reads no further.
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

extension SessionTask {
    /// Records the upload progress. Returns it, and the number of bytes since the last call.
    func noteUpload(_ completed: Int64, _ total: Int64?) -> (progress: Progress, change: Int64) {
        contents.withLock { Self.note(completed, total, in: &$0.upload) }
    }

    /// Records the download progress. Returns it, and the number of bytes since the last call.
    func noteDownload(_ completed: Int64, _ total: Int64?) -> (progress: Progress, change: Int64) {
        contents.withLock { Self.note(completed, total, in: &$0.download) }
    }

    private static func note(_ completed: Int64, _ total: Int64?, in progress: inout Progress) -> (Progress, Int64) {
        let before = progress.completedUnitCount
        progress = Progress(completedUnitCount: completed, totalUnitCount: total)
        // A body that is sent again starts at 0.
        return (progress, completed >= before ? completed - before : completed)
    }

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
        return (true, begun?.session.core.mainQueueWatch)
    }
}

extension SessionTask: CustomStringConvertible {
    /// The identifier, the request and the state.
    public var description: String { "task \(taskIdentifier), \(originalRequest), \(state)" }
}
