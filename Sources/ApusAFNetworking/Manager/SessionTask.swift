public import Apus
internal import ApusCore
public import HTTPTypes

/// One request of a session manager: what a `URLSessionTask` is elsewhere.
///
/// ```swift
/// let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/"))
/// let task = manager.get("users/1", success: { _, object in print(object ?? "nothing") }, failure: nil)
/// task?.cancel()
/// ```
///
/// A task that runs keeps itself and its session until it is over, whether or not anybody holds its manager.
public final class SessionTask: Sendable {
    /// What a task was made for.
    public enum Kind: Sendable, Hashable {
        /// A content that is collected in memory.
        case data
        /// A content that is sent.
        case upload
        /// A content that goes into a file.
        case download
    }

    /// What a task is doing.
    public enum State: Sendable, Hashable {
        /// It is on its way, or waits its turn.
        case running
        /// It has not begun, or is held back.
        case suspended
        /// It was given up, and its completion handler is about to be told.
        case canceling
        /// It is over.
        case completed
    }

    /// How far a content is on its way.
    public struct Progress: Sendable, Hashable {
        /// The bytes so far.
        public var completedUnitCount: Int64 = 0
        /// The bytes in all; `nil` where that is not known.
        public var totalUnitCount: Int64?

        /// The part that is done, from 0 to 1; 0 where it is not known.
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

    /// A request that is on its way, with what it needs.
    struct Begun: Sendable {
        let session: Session
        let handle: any Request
        /// Asks for the answer.
        let listen: @Sendable () -> Void
    }

    /// What there is to do.
    struct Work: Sendable {
        /// Makes the handle, inert as yet.
        let begin: @Sendable (SessionTask, Session) -> Begun
        /// Ends the task with an error from before there was a handle.
        let fail: @Sendable (SessionTask, ApusError) -> Void
    }

    /// Tells the tasks of a manager apart.
    public let taskIdentifier: Int
    /// What the task was made for.
    public let kind: Kind
    /// What was asked for; without its content where that is a file to be opened when the task begins.
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

    /// A text of yours, to know the task again.
    public var taskDescription: String? {
        get { contents.withLock { $0.description } }
        set { contents.withLock { $0.description = newValue } }
    }

    /// What the task is doing.
    public var state: State { contents.withLock { $0.machine.state } }

    /// The head of the answer; `nil` until the task is over.
    public var response: HTTPResponse? { contents.withLock { $0.response } }

    /// Why the task failed; `nil` until it is over, and where it did not.
    public var error: ApusError? { contents.withLock { $0.error } }

    /// How much of the request's content was handed to the wire.
    public var uploadProgress: Progress { contents.withLock { $0.upload } }

    /// How much of the answer's content is here.
    public var downloadProgress: Progress { contents.withLock { $0.download } }

    /// Starts the task, or lets it go on.
    public func resume() {
        if act(on: contents.withLock { $0.machine.resume() }) { core.post(.AFNetworkingTaskDidResume, about: self) }
    }

    /// Holds the task back: what has not started does not start, what is under way does not read on.
    public func suspend() {
        if act(on: contents.withLock { $0.machine.suspend() }) { core.post(.AFNetworkingTaskDidSuspend, about: self) }
    }

    /// Gives the task up; its completion handler is told so. What is over stays as it is.
    ///
    /// Before a connection was granted nothing is closed; after that the connection is (HTTP/1.1).
    public func cancel() {
        switch contents.withLock({ $0.machine.cancel() }) {
        case .ignore, .note: break
        case .end: work.fail(self, CancelReason.user.error)
        case .cancel(let begun): begun.handle.cancel()
        }
    }

    /// Does what is wished; `false` where that changes nothing.
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

    /// Has the handle do as is wished, until that is no longer another thing than what it was told.
    private func settle(_ begun: Begun) {
        var told: Bool?
        while true {
            let shallRun = contents.withLock { $0.machine.shallRun }
            guard shallRun != told else { return }
            if shallRun { begun.handle.resume() } else { begun.handle.suspend() }
            told = shallRun
        }
    }
}

extension SessionTask {
    /// Notes how much of the request's content was sent; returns how much that is, and how much since the last time.
    func noteUpload(_ completed: Int64, _ total: Int64?) -> (progress: Progress, change: Int64) {
        contents.withLock { Self.note(completed, total, in: &$0.upload) }
    }

    /// Notes how much of the answer's content is here.
    func noteDownload(_ completed: Int64, _ total: Int64?) -> (progress: Progress, change: Int64) {
        contents.withLock { Self.note(completed, total, in: &$0.download) }
    }

    private static func note(_ completed: Int64, _ total: Int64?, in progress: inout Progress) -> (Progress, Int64) {
        let before = progress.completedUnitCount
        progress = Progress(completedUnitCount: completed, totalUnitCount: total)
        // A content that is sent again begins at nothing.
        return (progress, completed >= before ? completed - before : completed)
    }

    /// Ends the task; `false` where it was over. What it held goes away, but for what watches the main queue.
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
    /// The number, what was asked for and what the task is doing.
    public var description: String { "task \(taskIdentifier), \(originalRequest), \(state)" }
}
