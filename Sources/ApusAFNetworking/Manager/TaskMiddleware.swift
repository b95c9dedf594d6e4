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
            response.body = response.body.told { data in queue.async { hook(task, data) } }
        }
        return response
    }
}

extension ResponseBody {
    /// Returns the same body, which also passes each chunk to a closure.
    fileprivate func told(_ tell: @escaping @Sendable (Data) -> Void) -> ResponseBody {
        switch storage {
        case .empty:
            return self
        case .whole(let chunk):
            tell(Data(chunk))
            return self
        case .stream(let stream):
            return .stream(ToldBody(stream, tell))
        }
    }
}

/// A body that passes each chunk to a closure.
private final class ToldBody: BodySource {
    private let stream: BodyStream
    private let tell: @Sendable (Data) -> Void

    init(_ stream: BodyStream, _ tell: @escaping @Sendable (Data) -> Void) {
        self.stream = stream
        self.tell = tell
    }

    var trailers: HTTPFields? { stream.source.trailers }

    func next() async throws(ApusError) -> BodyChunk? {
        guard let chunk = try await stream.source.next() else { return nil }
        tell(Data(chunk))
        return chunk
    }

    func cancel() { stream.source.cancel() }

    func discard() { stream.discard() }
}
