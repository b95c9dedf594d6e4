internal import ApusCore
internal import HTTPTypes

/// The decoded content of a response, read from the coded one as it is asked for.
///
/// It holds at most one coded chunk, and does not ask for another before that is used up. Decoded pieces it makes one
/// at a time, but for those that take long: leaving the event loop costs a quarter of what such a piece does, so that
/// each time it is left a few are made.
final class DecodedContent: BodySource {
    /// The most pieces that are made ahead of need.
    static let piecesAhead = 4

    fileprivate struct State {
        var decoder: ContentDecoder
        /// What was decoded ahead, the next first.
        var ready: [BodyChunk]
        var failure: ApusError?
    }

    /// The coded content; `nil` where all of it is in the decoder.
    private let coded: BodyStream?
    private let record: ExchangeRecord?
    /// Taken by one reader at a time and by nobody else, so that nobody ever waits for it while a piece is decoded.
    private let state: Lock<State>

    /// Content that is still on its way.
    ///
    /// - Parameters:
    ///   - coded: The coded content.
    ///   - codings: Its codings.
    ///   - limits: How far it may grow.
    ///   - record: The record in which dropped bytes are noted, if any.
    init(_ coded: BodyStream, codings: ContentCodings, limits: Limits, record: ExchangeRecord?) {
        self.coded = coded
        self.record = record
        self.state = Lock(State(decoder: ContentDecoder(codings, limits: limits), ready: []))
    }

    /// Content of which nothing can be had but an error.
    init(_ coded: BodyStream?, failure: ApusError) {
        self.coded = coded
        self.record = nil
        self.state = Lock(
            State(decoder: ContentDecoder(ContentCodings([]), limits: Limits()), ready: [], failure: failure)
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

    /// Decodes content that is all here: to another such where it stays small, else to a stream.
    static func decode(
        _ chunk: BodyChunk,
        codings: ContentCodings,
        limits: Limits,
        record: ExchangeRecord?
    ) -> ResponseBody {
        var decoder = ContentDecoder(codings, limits: limits)
        decoder.feed(chunk)
        decoder.finish()
        var ready: [BodyChunk] = []
        do throws(ApusError) {
            // The second step tells whether the first piece was all.
            while ready.count < 2 {
                guard case .chunk(let piece) = try decoder.next() else {
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
                case .chunk(let piece): return piece
                case .ended:
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
        coded?.discard()
    }

    var trailers: HTTPFields? { coded?.source.trailers }

    /// Notes the bytes that were dropped behind the content.
    private func noteIgnored() {
        record?.noteIgnoredContent(Int64(state.withLock { $0.decoder.ignoredCount }))
    }

    private func read() async throws(ApusError) {
        let chunk = try await coded?.source.next()
        state.withLock { state in
            if let chunk { state.decoder.feed(chunk) } else { state.decoder.finish() }
        }
    }

    private func step() async throws(ApusError) -> Inflater.Step {
        if let step = try state.withLock({ state throws(ApusError) in try state.shortStep() }) { return step }
        // Between two reads nothing else notices that the task was cancelled.
        if Task.isCancelled { throw ApusError(.cancelled, "its task was cancelled") }
        return try await offLoop { () throws(ApusError) in
            try self.state.withLock { state throws(ApusError) in try state.longStep() }
        }
    }
}

extension DecodedContent.State {
    /// The next step; `nil` where it takes long.
    fileprivate mutating func shortStep() throws(ApusError) -> Inflater.Step? {
        if !ready.isEmpty { return .chunk(ready.removeFirst()) }
        if let failure { throw failure }
        return decoder.isLong ? nil : try decoder.next()
    }

    /// The next step, and the pieces of those behind it.
    fileprivate mutating func longStep() throws(ApusError) -> Inflater.Step {
        let step = try decoder.next()
        guard case .chunk = step else { return step }
        do throws(ApusError) {
            while ready.count < DecodedContent.piecesAhead - 1, case .chunk(let piece) = try decoder.next() {
                ready.append(piece)
            }
        } catch {
            // What was good before it comes first.
            failure = error
        }
        return step
    }
}
