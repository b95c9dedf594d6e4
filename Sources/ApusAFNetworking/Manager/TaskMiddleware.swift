internal import Apus
internal import ApusCore
internal import Dispatch
internal import Foundation

/// The task of a request. A task releases its request when it completes, which breaks the reference cycle.
struct TaskOption: RequestOption {
    let task: SessionTask
}

/// Calls the manager's hooks for responses. It is the outermost middleware, so it sees the same data as the tasks.
struct TaskMiddleware: Middleware {
    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        var response = try await next(request, context: context)
        guard let task = context[TaskOption.self]?.task, task.kind != .download else { return response }
        let hooks = task.core.hooks
        if let hook = hooks.dataTaskDidReceiveResponse, hook(task, response.head) == .cancel {
            response.discard()
            throw ApusError(.cancelled, "the response block cancelled the task").with(response: response.head)
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
}
