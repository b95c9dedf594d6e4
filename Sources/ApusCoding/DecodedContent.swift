internal import ApusCore
internal import HTTPTypes

/// The decoded body of a response, decoded as it is read.
///
/// It holds at most one coded chunk and reads the next one only when that is used up. Pieces are decoded one at a time.
/// If a piece takes long, a few are decoded together off the event loop: leaving the loop costs a quarter as much as
/// decoding such a piece.
final class DecodedContent: BodySource {
    /// The maximum number of pieces that are decoded at once off the event loop.
    static let piecesAhead = 4

    fileprivate struct State {
        var decoder: ContentDecoder
        /// The pieces that were decoded ahead, in order.
        var ready: [BodyChunk]
        var failure: ApusError?
    }

    /// The coded body. `nil` if the decoder holds all of it.
    private let coded: BodyStream?
    private let record: ExchangeRecord?
    /// Used by one reader at a time, so that no caller blocks on the lock while a piece is decoded.
    private let state: Lock<State>

    /// Decodes a streamed body.
    ///
    /// - Parameters:
    ///   - coded: The coded body.
    ///   - codings: The codings of the body.
    ///   - limits: Limits on its expansion.
    ///   - record: The record in which decoded and dropped bytes are noted, if any.
    init(_ coded: BodyStream, codings: ContentCodings, limits: ResponseLimits, record: ExchangeRecord?) {
        self.coded = coded
        self.record = record
        self.state = Lock(State(decoder: ContentDecoder(codings, limits: limits), ready: []))
    }

    /// A body that only throws an error.
    init(_ coded: BodyStream?, failure: ApusError) {
        self.coded = coded
        self.record = nil
        self.state = Lock(
            State(decoder: ContentDecoder(ContentCodings([]), limits: ResponseLimits()), ready: [], failure: failure)
        )
    }

    private init(
        _ decoder: sending ContentDecoder,
        ready: [BodyChunk],
        failure: ApusError?,
        record: ExchangeRecord?
    ) {
        self.coded = nil
        self.record = record
        self.state = Lock(State(decoder: decoder, ready: ready, failure: failure))
    }

    /// Decodes a body in memory. The result is in memory too if it fits into one piece, and a stream otherwise.
    static func decode(
        _ chunk: BodyChunk,
        codings: ContentCodings,
        limits: ResponseLimits,
        record: ExchangeRecord?
    ) -> ResponseBody {
        var decoder = ContentDecoder(codings, limits: limits)
        decoder.feed(chunk)
        decoder.finish()
        var ready: [BodyChunk] = []
        do throws(ApusError) {
            // The second step shows whether the first piece was the whole body.
            while ready.count < 2 {
                guard case .chunk(let piece) = try decoder.next() else {
                    record?.noteDecoded(Int64(decoder.decodedCount))
                    record?.noteIgnoredContent(Int64(decoder.ignoredCount))
                    return ready.first.map(ResponseBody.whole) ?? .empty
                }
                ready.append(piece)
            }
            return .stream(DecodedContent(decoder, ready: ready, failure: nil, record: record))
        } catch {
            return .stream(DecodedContent(decoder, ready: ready, failure: error, record: record))
        }
    }

    func next() async throws(ApusError) -> BodyChunk? {
        do throws(ApusError) {
            while true {
                switch try await step() {
                case .chunk(let piece):
                    noteDecoded()
                    return piece
                case .ended:
                    noteDecoded()
                    noteIgnored()
                    return nil
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
        coded?.discard(for: self)
    }

    var trailers: HTTPFields? { coded?.source.trailers }

    /// Records the number of received bytes that were decoded so far, for the progress of the reader.
    private func noteDecoded() {
        record?.noteDecoded(Int64(state.withLock { $0.decoder.decodedCount }))
    }

    /// Records the number of bytes that were dropped after the body.
    private func noteIgnored() {
        record?.noteIgnoredContent(Int64(state.withLock { $0.decoder.ignoredCount }))
    }

    private func read() async throws(ApusError) {
        let chunk = try await coded?.next(for: self)
        state.withLock { state in
            if let chunk { state.decoder.feed(chunk) } else { state.decoder.finish() }
        }
    }

    private func step() async throws(ApusError) -> Inflater.Step {
        if let step = try state.withLock({ state throws(ApusError) in try state.shortStep() }) { return step }
        // Check for cancellation here, since no read may follow for a long time.
        if Task.isCancelled { throw ApusError(.cancelled, "its task was cancelled") }
        return try await offEventLoop { () throws(ApusError) in
            try self.state.withLock { state throws(ApusError) in try state.longStep() }
        }
    }
}

extension DecodedContent.State {
    /// Returns the next step, or `nil` if it takes long.
    fileprivate mutating func shortStep() throws(ApusError) -> Inflater.Step? {
        if !ready.isEmpty { return .chunk(ready.removeFirst()) }
        if let failure { throw failure }
        return decoder.isLong ? nil : try decoder.next()
    }

    /// Returns the next step and decodes a few pieces ahead.
    fileprivate mutating func longStep() throws(ApusError) -> Inflater.Step {
        let step = try decoder.next()
        guard case .chunk = step else { return step }
        do throws(ApusError) {
            while ready.count < DecodedContent.piecesAhead - 1, case .chunk(let piece) = try decoder.next() {
                ready.append(piece)
            }
        } catch {
            // Deliver the pieces that were decoded before the error first.
            failure = error
        }
        return step
    }
}
