public import Apus
internal import ApusCore
internal import Foundation

nonisolated extension HTTPSessionManager {
    /// The session that tasks are made in which begin now; made when it is first needed.
    ///
    /// - Throws: `ApusError` with the code `sessionShutDown`, after it was invalidated and not reset.
    public var session: Session {
        get throws(ApusError) { try core.session() }
    }

    /// The tasks that are not over, those too that have not begun and that somebody holds, in the order of their making.
    public var tasks: [SessionTask] { core.tasks }

    /// The tasks that are not over and collect an answer in memory, but for uploads.
    public var dataTasks: [SessionTask] { core.tasks.filter { $0.kind == .data } }

    /// The tasks that are not over and send a content.
    public var uploadTasks: [SessionTask] { core.tasks.filter { $0.kind == .upload } }

    /// The tasks that are not over and whose answer goes into a file.
    public var downloadTasks: [SessionTask] { core.tasks.filter { $0.kind == .download } }

    /// How much of a task's content was sent; the task knows it itself.
    public func uploadProgress(for task: SessionTask) -> SessionTask.Progress { task.uploadProgress }

    /// How much of the answer to a task is here; the task knows it itself.
    public func downloadProgress(for task: SessionTask) -> SessionTask.Progress { task.downloadProgress }

    /// Ends the session. When it has ended, `AFURLSessionDidInvalidate` is posted, with the session as its object.
    ///
    /// It need not be called: a manager that nobody holds goes away, and takes its session along.
    ///
    /// - Parameters:
    ///   - cancelPendingTasks: Whether tasks that are not over are cancelled; else those that run may end.
    ///   - resetSession: Whether there will be another session when one is needed; else tasks that begin from now on end
    ///     with `sessionShutDown`.
    public func invalidateSession(cancelingTasks cancelPendingTasks: Bool, resetSession: Bool) {
        let core = core
        let tasks = core.tasks
        let session = core.invalidate(resetting: resetSession)
        if cancelPendingTasks { for task in tasks { task.cancel() } }
        guard let session else { return }
        Task {
            // What was cancelled needs a moment to tell so; what was not may take any time.
            await session.shutdown(within: cancelPendingTasks ? .seconds(1) : .seconds(Int64.max >> 33))
            core.queue.async { core.hooks.sessionDidBecomeInvalid?(session) }
            core.post(.AFURLSessionDidInvalidate, about: session)
        }
    }
}
