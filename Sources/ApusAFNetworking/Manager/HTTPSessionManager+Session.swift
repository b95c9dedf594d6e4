public import Apus
internal import ApusCore
internal import Foundation

extension HTTPSessionManager {
    /// The session for tasks that start now. Created when it is first needed.
    ///
    /// - Throws: `ApusError` with the code `sessionShutDown` after an invalidation without a reset.
    public var session: Session {
        get throws(ApusError) { try core.session() }
    }

    /// The active tasks in order of creation, including unstarted ones that are still referenced.
    public var tasks: [SessionTask] { core.tasks }

    /// The active tasks that collect a response body in memory, except uploads.
    public var dataTasks: [SessionTask] { core.tasks.filter { $0.kind == .data } }

    /// The active tasks that send a body.
    public var uploadTasks: [SessionTask] { core.tasks.filter { $0.kind == .upload } }

    /// The active tasks that save a response body in a file.
    public var downloadTasks: [SessionTask] { core.tasks.filter { $0.kind == .download } }

    /// Returns the upload progress of a task, as in its `uploadProgress`.
    public func uploadProgress(for task: SessionTask) -> SessionTask.Progress { task.uploadProgress }

    /// Returns the download progress of a task, as in its `downloadProgress`.
    public func downloadProgress(for task: SessionTask) -> SessionTask.Progress { task.downloadProgress }

    /// Shuts down the session, then posts `AFURLSessionDidInvalidate` with the session as its object.
    ///
    /// Calling it is optional: a manager that is no longer referenced is released together with its session.
    ///
    /// - Parameters:
    ///   - cancelPendingTasks: Whether to cancel the active tasks. Otherwise, running tasks may finish.
    ///   - resetSession: Whether a new session is created when one is needed, with the same cookies and remembered
    ///     credentials. Otherwise, tasks that start after this call fail with `sessionShutDown`.
    public func invalidateSession(cancelingTasks cancelPendingTasks: Bool, resetSession: Bool) {
        let core = core
        let tasks = core.tasks
        let session = core.invalidate(resetting: resetSession)
        if cancelPendingTasks { for task in tasks { task.cancel() } }
        guard let session else { return }
        Task {
            // Cancelled tasks need a moment to report their end. Other tasks may take any time.
            await session.shutdown(within: cancelPendingTasks ? .seconds(1) : .seconds(Int64.max >> 33))
            core.queue.async { core.hooks.sessionDidBecomeInvalid?(session) }
            core.post(.AFURLSessionDidInvalidate, about: session)
        }
    }
}
