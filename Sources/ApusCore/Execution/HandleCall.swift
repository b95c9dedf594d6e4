internal import Foundation
internal import HTTPTypes

/// The call of a handle.
///
/// A class, since the attempt loop passes it on often: as one reference.
final class HandleCall: Call {
    let originTarget: TargetURI?
    private let task: RequestTask
    private let attempt: Attempt

    /// Creates the call. `originTarget` is a target of the origin on whose executor the task runs.
    init(task: RequestTask, attempt: Attempt, originTarget: TargetURI) {
        self.task = task
        self.attempt = attempt
        self.originTarget = originTarget
    }

    var core: SessionCore { task.core }

    var context: RequestContext { task.context }

    var handle: RequestTask? { task }

    func attempt(_ request: RequestMessage, because cause: ExchangeCause) async throws(ApusError) -> CollectedResponse {
        try await attempt.run(request, because: cause)
    }

    func requestAttempt(at request: RequestMessage, _ output: CollectedResponse) -> RequestAttempt {
        let (data, fileURL): (Data?, URL?) =
            switch output.content {
            case .memory(let data): (data, nil)
            case .file(let file): (nil, file.url)
            }
        return RequestAttempt(request: request, head: output.head, data: data, fileURL: fileURL, context: context)
    }

    func process(_ output: CollectedResponse, of request: RequestMessage) async -> ProcessingResult {
        await task.process(RawResponse(request: request, collected: output, metrics: context.metrics))
    }

    func reset(_ output: CollectedResponse?) async { await task.reset(output) }

    func status(of output: CollectedResponse) -> HTTPResponse.Status { output.head.status }
}
