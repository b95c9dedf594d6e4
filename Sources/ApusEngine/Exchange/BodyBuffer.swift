internal import ApusCore
internal import DequeModule
internal import HTTPTypes
internal import NIOCore

/// The received but unread part of a response's body, between the event loop and one reader on any thread.
///
/// The reader takes buffered bytes without switching to the loop. It calls the loop only to resume reading after a pause.
final class BodyBuffer: Sendable {
    typealias Reader = UnsafeContinuation<Result<BodyChunk?, ApusError>, Never>

    /// Reading pauses when this many bytes are buffered, and resumes at half of them.
    private static let highWaterMark = 256 << 10
    /// A chunk keeps its read buffer alive, at least 2 KiB. Shorter chunks that are buffered get copied together, so
    /// that a peer that sends byte by byte does not make the client hold a thousand times as much.
    private static let shortBytes = 2 << 10
    private static let gatheredBytes = 16 << 10
    /// From this many waiting bytes on, a chunk is copied that is a small part of its memory: the streams of a connection
    /// share the memory of a read.
    private static let sharedBytes = 64 << 10

    private struct State {
        var chunks: Deque<ByteBuffer>
        var waitingBytes: Int
        var isEnded = false
        var failure: ApusError?
        var trailers: HTTPFields?
        var reader: Reader?
        var isHeld = false
        /// Whether the last chunk is a copy of short ones and has room for more.
        var isGathering = false

        mutating func append(_ chunk: ByteBuffer) {
            let isSmallPart = chunk.readableBytes < chunk.storageCapacity / 4
            let isLoose = waitingBytes >= BodyBuffer.sharedBytes && isSmallPart
            waitingBytes += chunk.readableBytes
            // A waiting reader takes the first chunk of a read as it is. The others stay here until it reads on.
            let isShort = chunk.readableBytes < BodyBuffer.shortBytes && (reader == nil || !chunks.isEmpty)
            guard isShort || isLoose && reader == nil else {
                isGathering = false
                return chunks.append(chunk)
            }
            if isGathering, let last = chunks.indices.last {
                chunks[last].writeImmutableBuffer(chunk)
                isGathering = chunks[last].readableBytes < BodyBuffer.gatheredBytes
            } else {
                var copy = ByteBuffer()
                copy.reserveCapacity(BodyBuffer.shortBytes)
                copy.writeImmutableBuffer(chunk)
                chunks.append(copy)
                isGathering = true
            }
        }

        /// Returns the next chunk, the end or the error. `nil` if the reader has to wait.
        mutating func next() -> Result<BodyChunk?, ApusError>? {
            if let chunk = chunks.popFirst() {
                waitingBytes -= chunk.readableBytes
                if chunks.isEmpty { isGathering = false }
                var taken = BodyChunk(chunk)
                taken.isFollowed = !chunks.isEmpty
                return .success(taken)
            }
            if let failure { return .failure(failure) }
            return isEnded ? .success(nil) : nil
        }

        /// Returns the waiting reader and its result, if there are both.
        mutating func serve() -> (Reader, Result<BodyChunk?, ApusError>)? {
            guard let reader, let result = next() else { return nil }
            self.reader = nil
            return (reader, result)
        }

        /// Returns whether reading was paused and should resume.
        mutating func release() -> Bool {
            guard isHeld, waitingBytes <= BodyBuffer.highWaterMark / 2 else { return false }
            isHeld = false
            return true
        }
    }

    private let state: Lock<State>
    private let counters: LiveCounters

    init(chunks: Deque<ByteBuffer> = [], counters: LiveCounters) {
        self.counters = counters
        self.state = Lock(State(chunks: chunks, waitingBytes: chunks.reduce(0) { $0 + $1.readableBytes }))
    }

    // MARK: Called on the event loop

    /// Appends a chunk. The reader is resumed with the last of several that were received together, since each time costs
    /// a switch between threads.
    func append(_ chunk: ByteBuffer, isFollowed: Bool = false) {
        if isFollowed { state.withLock { $0.append(chunk) } } else { serve { $0.append(chunk) } }
    }

    func end(trailers: HTTPFields?) {
        serve { state in
            state.isEnded = true
            state.trailers = trailers
        }
    }

    /// Ends the body with an error, unless it has ended.
    func fail(_ error: ApusError) {
        serve { state in
            if !state.isEnded, state.failure == nil { state.failure = error }
        }
    }

    /// Returns whether enough is buffered to pause reading. The reader then reports when it wants more.
    func holdsReading() -> Bool {
        state.withLock { state in
            state.isHeld = state.waitingBytes >= Self.highWaterMark
            return state.isHeld
        }
    }

    private func serve(_ change: (inout State) -> Void) {
        let served = state.withLock { state in
            change(&state)
            return state.serve()
        }
        if let (reader, result) = served { resume(reader, result) }
    }

    private func resume(_ reader: Reader, _ result: Result<BodyChunk?, ApusError>) {
        counters.remove(from: .continuations)
        reader.resume(returning: result)
    }

    // MARK: Called by the reader

    /// Returns the next result, and whether the loop should resume reading. `nil` if the reader has to wait.
    func take() -> (result: Result<BodyChunk?, ApusError>, readsOn: Bool)? {
        state.withLock { state in
            state.next().map { ($0, state.release()) }
        }
    }

    /// Waits for the next chunk.
    ///
    /// - Returns: Whether the loop should resume reading.
    func wait(_ reader: Reader) -> Bool {
        counters.add(to: .continuations)
        let (served, readsOn) = state.withLock { state -> ((Reader, Result<BodyChunk?, ApusError>)?, Bool) in
            // A copied iterator may read at the same time. It must not replace a waiting reader, which would hang.
            guard state.reader == nil else { return ((reader, .failure(BodyStream.alreadyRead)), false) }
            state.reader = reader
            let served = state.serve()
            return (served, state.release())
        }
        if let (reader, result) = served { resume(reader, result) }
        return readsOn
    }

    /// Cancels the body: discards the buffered bytes and ends with `error`.
    func cancel(_ error: ApusError) {
        serve { state in
            state.chunks = []
            state.isGathering = false
            state.waitingBytes = 0
            state.failure = state.failure ?? error
        }
    }

    /// Discards the buffered bytes and returns their number. `nil` if the body has ended or failed.
    func drop() -> Int? {
        state.withLock { state in
            guard !state.isEnded, state.failure == nil else { return nil }
            defer {
                state.chunks = []
                state.isGathering = false
                state.waitingBytes = 0
                state.isHeld = false
            }
            return state.waitingBytes
        }
    }

    /// The trailer fields, once the whole body has been read.
    var trailers: HTTPFields? {
        state.withLock { $0.chunks.isEmpty && $0.isEnded ? $0.trailers : nil }
    }
}
