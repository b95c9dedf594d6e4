internal import DequeModule

/// Reads a stream in tasks: the source of a `StreamOf`.
///
/// It pulls a chunk from the request for its next values, so that a slow reader holds the server back. It is released
/// with the sequence and all iterators.
final class StreamReader<Success: Sendable, Failure: Error>: Sendable {
    typealias Element = DataStreamRequest.Stream<Success, Failure>

    private struct State: Sendable {
        /// The rest of the latest chunk.
        var pieces = Deque<StreamPiece>()
        /// The last element, which follows the pieces.
        var completion: DataStreamRequest.Completion?
        /// Whether the last element was returned.
        var isOver = false
        /// Whether an iterator pulls a chunk. Others wait for it, since chunks are parsed in their order.
        var isPulling = false

        /// Returns the next step of an iterator.
        mutating func next(isCancelled: Bool) -> Next {
            // An error of its own has ended the reader after these pieces, and may have cancelled the request.
            if isCancelled, completion == nil { pieces.removeAll() }
            if let piece = pieces.popFirst() { return .piece(piece) }
            if let completion {
                isOver = true
                self.completion = nil
                return .completion(completion)
            }
            if isOver { return .end }
            if isPulling { return .wait }
            isPulling = true
            return .pull
        }
    }

    private enum Next: Sendable {
        case piece(StreamPiece)
        case completion(DataStreamRequest.Completion)
        case pull
        /// Another iterator pulls.
        case wait
        case end
    }

    private enum Turn: Sendable {
        case element(Element)
        case wait
        case end
    }

    /// Held, since a handle that is released cancels its request.
    private let request: DataStreamRequest
    private let parser: StreamParser<Success, Failure>
    /// Whether the end of the reader cancels the request.
    private let cancelsAutomatically: Bool
    private let signal: StreamSignal
    private let id: Int
    private let state = Lock(State())

    init(_ request: DataStreamRequest, parsing parser: StreamParser<Success, Failure>, cancelling: Bool) {
        // A task that is already cancelled must not start the request.
        if cancelling, Task.isCancelled { request.runner.cancel(CancelReason.task.error) }
        let signal = StreamSignal()
        self.request = request
        self.parser = parser
        self.cancelsAutomatically = cancelling
        self.signal = signal
        self.id = request.runner.append(StreamHandler(takesChunks: true, waking: { _, _ in signal.fire() }))
    }

    deinit {
        guard !state.withLock({ $0.isOver }) else { return }
        request.runner.detach(id)
        guard cancelsAutomatically else { return }
        request.runner.cancel(ApusError(.cancelled, "its sequence was released before its end"))
    }

    /// Returns the next element, or `nil` after the last.
    func next() async -> Element? {
        while true {
            if Task.isCancelled {
                guard cancelsAutomatically else { return nil }
                request.runner.cancel(CancelReason.task.error)
            }
            let signal = signal.next
            switch turn() {
            case .element(let element): return element
            case .end: return nil
            case .wait: await wait(for: signal)
            }
        }
    }

    private func wait(for signal: Deferred<Void>) async {
        await withTaskCancellationHandler {
            await signal.value
        } onCancel: {
            if cancelsAutomatically { request.runner.cancel(CancelReason.task.error) }
            // Other iterators only look for their next step again.
            self.signal.fire()
        }
    }

    private func turn() -> Turn {
        while true {
            let isCancelled = request.runner.isCancelled
            switch state.withLock({ $0.next(isCancelled: isCancelled) }) {
            case .piece(let piece): return .element(element(parser.value(of: piece)))
            case .completion(let completion): return .element(Element(event: .complete(completion), token: token))
            case .end: return .end
            case .wait: return .wait
            case .pull: if !pull() { return .wait }
            }
        }
    }

    /// Pulls a chunk or the completion. Returns `false` if there is none yet.
    private func pull() -> Bool {
        switch request.runner.pull(id) {
        case .wait:
            state.withLock { $0.isPulling = false }
            return false
        case .chunk(let chunk): add(parser.pieces(of: chunk))
        case .complete(let completion): add(completion)
        }
        // For other iterators.
        signal.fire()
        return true
    }

    private var token: DataStreamRequest.CancellationToken { .init(runner: request.runner) }

    private func element(_ value: Result<Success, Failure>) -> Element {
        if case .failure(let error) = value { request.runner.noteFailure(error) }
        return Element(event: .stream(value), token: token)
    }

    private func add(_ batch: StreamFramer.Batch) {
        var completion: DataStreamRequest.Completion?
        if let fault = batch.fault {
            completion = request.runner.completion(endedBy: request.runner.failure(of: fault))
            request.runner.fail(id, with: fault)
        }
        add(batch.pieces, completion)
    }

    private func add(_ completion: DataStreamRequest.Completion) {
        var completion = completion
        guard completion.error == nil else { return add([], completion) }
        let batch = parser.finalPieces()
        if let fault = batch.fault { completion.error = request.runner.failure(of: fault) }
        add(batch.pieces, completion)
    }

    private func add(_ pieces: [StreamPiece], _ completion: DataStreamRequest.Completion?) {
        state.withLock { state in
            state.pieces.append(contentsOf: pieces)
            state.completion = completion ?? state.completion
            state.isPulling = false
        }
    }
}
