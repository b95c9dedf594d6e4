internal import HTTPTypes

/// A response body that is read in turns at a limited rate.
///
/// The source is read when the bytes before have passed, so its back-pressure holds the server back. A wait ends at
/// once if the reading task is cancelled, or if the body is cancelled or discarded.
final class PacedBody: BodySource {
    private struct State {
        /// The received bytes whose turn has not come.
        var rest: BodyChunk?
        /// Ends the wait of the reader.
        var pause: Deferred<Void>?
        /// Whether the body was cancelled or discarded.
        var isOver = false
    }

    /// `nil` for a body in memory.
    private let stream: BodyStream?
    private let pace: TransferPace
    private let environment: SessionEnvironment
    private let state: Lock<State>

    init(_ body: ResponseBody, pace: TransferPace, environment: SessionEnvironment) {
        if case .stream(let stream) = body.storage { self.stream = stream } else { self.stream = nil }
        self.pace = pace
        self.environment = environment
        if case .whole(let chunk) = body.storage {
            self.state = Lock(State(rest: chunk))
        } else {
            self.state = Lock(State())
        }
    }

    var trailers: HTTPFields? { stream?.source.trailers }

    func next() async throws(ApusError) -> BodyChunk? {
        guard let chunk = try await nextChunk() else { return nil }
        let turn = chunk.prefix(pace.turnBytes)
        let rest: BodyChunk? = turn.count < chunk.count ? chunk.dropFirst(turn.count) : nil
        state.withLock { $0.rest = rest }
        let wait = pace.take(turn.count)
        if wait > .zero { try await pause(for: wait, before: turn.count) }
        return turn
    }

    private func nextChunk() async throws(ApusError) -> BodyChunk? {
        let (rest, isOver) = state.withLock { state -> (BodyChunk?, Bool) in (state.rest, state.isOver) }
        if isOver { throw CancelReason.task.error }
        if let rest { return rest }
        guard let stream else { return nil }
        return try await stream.next(for: self)
    }

    /// Waits until bytes that were taken may pass. Gives them back if the wait ends early.
    private func pause(for wait: Duration, before count: Int) async throws(ApusError) {
        let pause = Deferred<Void>()
        let wasOver = state.withLock { state -> Bool in
            state.pause = pause
            return state.isOver
        }
        if !wasOver {
            let instant = environment.time.now.advanced(by: wait)
            let timer = DeadlineTimer(at: instant, in: environment) { pause.fulfill(()) }
            await withTaskCancellationHandler {
                await pause.value
            } onCancel: {
                pause.fulfill(())
            }
            timer.cancel()
        }
        let isOver = state.withLock { state -> Bool in
            state.pause = nil
            return state.isOver
        }
        guard isOver || Task.isCancelled else { return }
        pace.giveBack(count)
        // A discarded body is drained, which cancelling it would end.
        if !isOver { cancel() }
        throw CancelReason.task.error
    }

    func cancel() {
        end()
        stream?.source.cancel()
    }

    func discard() {
        end()
        stream?.discard(for: self)
    }

    private func end() {
        let pause = state.withLock { state -> Deferred<Void>? in
            state.isOver = true
            state.rest = nil
            return state.pause
        }
        pause?.fulfill(())
    }
}

extension ResponseBody {
    /// Returns the same body, read at a limited rate. A short body in memory stays as it is if it need not wait.
    func paced(by pace: TransferPace, in environment: SessionEnvironment) -> ResponseBody {
        switch storage {
        case .empty: return self
        case .whole(let chunk): if pace.passesAtOnce(chunk.count) { return self }
        case .stream: break
        }
        return .stream(PacedBody(self, pace: pace, environment: environment))
    }
}
