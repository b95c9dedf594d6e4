internal import HTTPTypes

/// The work of a handle's request, for the attempt loop.
///
/// A class, since the loop passes it on often: as one reference.
final class AttemptedHandle: AttemptedWork {
    let home: TargetURI?
    private let task: RequestTask
    private let attempt: Attempt

    /// Creates the work. `home` is a target of the origin on whose executor the task runs.
    init(task: RequestTask, attempt: Attempt, home: TargetURI) {
        self.task = task
        self.attempt = attempt
        self.home = home
    }

    var core: SessionCore { task.core }

    var context: RequestContext { task.context }

    var isRemade: Bool { task.isRemade }

    var hasHandle: Bool { true }

    var settles: Bool { true }

    func remake() async throws(ApusError) -> RequestMessage { try await task.remake() }

    func attempt(_ request: RequestMessage, because cause: ExchangeCause) async throws(ApusError) -> Collected {
        try await attempt.run(request, because: cause)
    }

    func status(of answer: Collected) -> HTTPResponse.Status { answer.head.status }

    func glimpse(of answer: Collected) -> AnswerGlimpse {
        switch answer.content {
        case .memory(let data): AnswerGlimpse(head: answer.head, data: data)
        case .file(let file): AnswerGlimpse(head: answer.head, fileURL: file.url)
        }
    }

    func settle(_ answer: Collected, to request: RequestMessage) async -> Settlement {
        await task.settle(RawResponse(request: request, collected: answer, metrics: task.context.metrics))
    }

    func rewind(_ answer: Collected?) async { await task.rewind(answer) }
}
