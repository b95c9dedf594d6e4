internal import Dispatch

/// A handler of a stream: closures on a queue, or the reader of a sequence.
///
/// The request wakes it once it has a step to take, and not again before that has been taken.
final class StreamHandler: Sendable {
    /// Makes the handler take its step, by its number in the request.
    typealias Waking = @Sendable (StreamRunner, Int) -> Void

    /// Passes on a chunk. Throws the error of the user's code, which ends the handler.
    typealias Receiver = @Sendable (BodyChunk, StreamRunner) throws -> Void

    typealias Completer = @Sendable (DataStreamRequest.Completion, StreamRunner) -> Void

    /// Whether it gets chunks, and not only its completion.
    let takesChunks: Bool
    let wake: Waking
    let receive: Receiver
    let complete: Completer

    init(
        takesChunks: Bool,
        waking wake: @escaping Waking,
        receive: @escaping Receiver = { _, _ in },
        complete: @escaping Completer = { _, _ in }
    ) {
        self.takesChunks = takesChunks
        self.wake = wake
        self.receive = receive
        self.complete = complete
    }
}

extension StreamHandler {
    /// Creates a handler that is called on a queue, for each value and for its completion.
    convenience init<Success: Sendable, Failure: Error>(
        on queue: DispatchQueue,
        parsing parser: StreamParser<Success, Failure>,
        _ handler: @escaping DataStreamRequest.Handler<Success, Failure>
    ) {
        let pass = { @Sendable (batch: StreamFramer.Batch, runner: StreamRunner) throws -> Void in
            let token = DataStreamRequest.CancellationToken(runner: runner)
            for piece in batch.pieces where !runner.isCancelled {
                let value = parser.value(of: piece)
                try handler(DataStreamRequest.Stream(event: .stream(value), token: token))
                if case .failure(let error) = value { runner.noteFailure(error) }
            }
            if let fault = batch.fault { throw fault }
        }
        self.init(
            takesChunks: true,
            waking: StreamHandler.waking(on: queue),
            receive: { chunk, runner in try pass(parser.pieces(of: chunk), runner) },
            complete: { completion, runner in
                var completion = completion
                if completion.error == nil {
                    do {
                        try pass(parser.finalPieces(), runner)
                    } catch {
                        completion.error = runner.failure(of: error)
                    }
                }
                let token = DataStreamRequest.CancellationToken(runner: runner)
                // No event could report a further error.
                try? handler(DataStreamRequest.Stream(event: .complete(completion), token: token))
            }
        )
    }

    /// Creates a handler that is called on a queue once, after the end of the request.
    convenience init(
        on queue: DispatchQueue,
        completing handler: @escaping @Sendable (DataStreamRequest.Completion) -> Void
    ) {
        self.init(
            takesChunks: false,
            waking: StreamHandler.waking(on: queue),
            complete: { completion, _ in handler(completion) }
        )
    }

    private static func waking(on queue: DispatchQueue) -> Waking {
        { runner, id in
            runner.core.mainQueueWatch.deliver(on: queue) { runner.step(id) }
        }
    }
}
