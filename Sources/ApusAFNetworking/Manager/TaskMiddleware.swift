internal import Apus
internal import ApusCore
internal import Dispatch
internal import Foundation
internal import HTTPTypes

/// The task of a request. Only the outermost middleware reads it.
struct TaskOption: IncidentalOption {
    let reference: TaskReference
}

/// Calls the manager's hooks for responses. It is outside all other middleware, so it sees the same data as the tasks.
///
/// It is in the chain even without hooks and looks for them when a request is sent, so that a manager keeps its session
/// when a hook is set. It runs on the event loop, and calls hooks that may block elsewhere.
struct TaskMiddleware: Middleware {
    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let task = request.options[TaskOption.self]?.reference.task
        guard let task, task.kind != .download, task.core.hooks.observesResponses else {
            return try await next(request, context: context)
        }
        return try await observing(try await next(request, context: context), of: task, context)
    }

    /// Separate from `handle`, so that a request without hooks does not pay for it.
    private func observing(
        _ received: ResponseMessage,
        of task: SessionTask,
        _ context: RequestContext
    ) async throws -> ResponseMessage {
        var response = received
        let hooks = task.core.hooks
        if let hook = hooks.dataTaskDidReceiveResponse {
            let head = response.head
            let disposition = await Self.calling(in: context) { hook(task, head) }
            if disposition == .cancel {
                response.discard()
                throw ApusError(.cancelled, "the response block cancelled the task").with(response: head)
            }
        }
        if let hook = hooks.dataTaskDidReceiveData {
            let queue = task.core.queue
            response.body = response.body.observed(onChunk: { chunk, _ in
                let data = Data(chunk)
                queue.async { hook(task, data) }
            })
        }
        return response
    }

    /// Calls user code off the event loop, unless the session is configured otherwise.
    private static func calling<Value: Sendable>(
        in context: RequestContext,
        _ hook: @escaping @Sendable () -> Value
    ) async -> Value {
        let environment = context.environment
        return await environment.awaiting { () async -> Value in
            guard environment.configuration.handlerExecution == .concurrent else { return hook() }
            return await offEventLoop { hook() }
        }
    }
}
