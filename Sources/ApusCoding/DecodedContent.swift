internal import ApusCore
internal import HTTPTypes

/// The decoded content of a response, read from the coded one as it is asked for.
///
/// It holds at most one coded chunk, and does not ask for another before that is used up.
final class DecodedContent: BodySource {
    private struct State {
        var decoder: ContentDecoder
        /// What was decoded ahead, the next first.
        var ready: [BodyChunk]
        var failure: ApusError?
    }

    private enum Answer {
        case step(Inflater.Step)
        case isLong
    }

    /// The coded content; `nil` where all of it is in the decoder.
    private let coded: BodyStream?
    /// Taken by one reader at a time and by nobody else, so that nobody ever waits for it while a piece is decoded.
    private let state: Lock<State>

    /// Content that is still on its way.
    init(_ coded: BodyStream, codings: ContentCodings, limits: Limits) {
        self.coded = coded
        self.state = Lock(State(decoder: ContentDecoder(codings, limits: limits), ready: []))
    }

    /// Content of which nothing can be had but an error.
    init(_ coded: BodyStream?, failure: ApusError) {
        self.coded = coded
        self.state = Lock(
            State(decoder: ContentDecoder(ContentCodings([]), limits: Limits()), ready: [], failure: failure)
        )
    }

    private init(_ decoder: sending ContentDecoder, ready: [BodyChunk], failure: ApusError?) {
        self.coded = nil
        self.state = Lock(State(decoder: decoder, ready: ready, failure: failure))
    }

    /// Decodes content that is all here: to another such where it stays small, else to a stream.
    static func decode(_ chunk: BodyChunk, codings: ContentCodings, limits: Limits) -> ResponseBody {
        var decoder = ContentDecoder(codings, limits: limits)
        decoder.feed(chunk)
        decoder.finish()
        var ready: [BodyChunk] = []
        do throws(ApusError) {
            // The second step tells whether the first piece was all.
            while ready.count < 2 {
                guard case .chunk(let piece) = try decoder.next() else {
                    return ready.first.map(ResponseBody.whole) ?? .empty
                }
                ready.append(piece)
            }
            return .stream(DecodedContent(decoder, ready: ready, failure: nil))
        } catch {
            return .stream(DecodedContent(decoder, ready: ready, failure: error))
        }
    }

    func next() async throws(ApusError) -> BodyChunk? {
        do throws(ApusError) {
            while true {
                switch try await step() {
                case .chunk(let piece): return piece
                case .ended: return nil
                case .needsInput: try await read()
                }
            }
        } catch {
            state.withLock { state in
                if state.failure == nil { state.failure = error }
            }
            coded?.source.cancel()
            throw error
        }
    }

    func cancel() {
        coded?.source.cancel()
    }

    func discard() {
        coded?.source.discard()
    }

    var trailers: HTTPFields? { coded?.source.trailers }

    private func read() async throws(ApusError) {
        let chunk = try await coded?.source.next()
        state.withLock { state in
            if let chunk { state.decoder.feed(chunk) } else { state.decoder.finish() }
        }
    }

    private func step() async throws(ApusError) -> Inflater.Step {
        switch try attempt(evenIfLong: false) {
        case .step(let step):
            return step
        case .isLong:
            // Between two reads nothing else notices that the task was cancelled.
            if Task.isCancelled { throw ApusError(.cancelled, "its task was cancelled") }
            let answer = try await offLoop { () throws(ApusError) in try self.attempt(evenIfLong: true) }
            if case .step(let step) = answer { return step }
            return .needsInput
        }
    }

    private func attempt(evenIfLong: Bool) throws(ApusError) -> Answer {
        try state.withLock { state throws(ApusError) in
            if !state.ready.isEmpty { return .step(.chunk(state.ready.removeFirst())) }
            if let failure = state.failure { throw failure }
            if !evenIfLong, state.decoder.isLong { return .isLong }
            return .step(try state.decoder.next())
        }
    }
}
