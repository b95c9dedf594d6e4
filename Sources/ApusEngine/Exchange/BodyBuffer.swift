internal import ApusCore
internal import DequeModule
internal import HTTPTypes
internal import NIOCore

/// What of an answer's content has come and was not read: between the loop, which puts in, and one reader anywhere.
///
/// The reader takes what is there without asking the loop; the loop is asked only to read on after it had stopped.
final class BodyBuffer: Sendable {
    typealias Reader = UnsafeContinuation<Result<BodyChunk?, ApusError>, Never>

    /// Reading stops while this many bytes wait for the reader, and goes on below half of them.
    private static let highWaterMark = 256 << 10
    /// A chunk keeps the buffer alive that it was read into, at least 2 KiB. Shorter ones that have to wait are copied
    /// together, so that a peer who sends byte by byte makes nobody hold a thousand times as much.
    private static let shortBytes = 2 << 10
    private static let gatheredBytes = 16 << 10

    private struct State {
        var chunks: Deque<ByteBuffer>
        var waitingBytes: Int
        var isEnded = false
        var failure: ApusError?
        var trailers: HTTPFields?
        var reader: Reader?
        var isHeld = false
        /// Whether the last of the chunks is a copy of short ones, with room for more.
        var isGathering = false

        mutating func append(_ chunk: ByteBuffer) {
            waitingBytes += chunk.readableBytes
            guard reader == nil, chunk.readableBytes < BodyBuffer.shortBytes else {
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

        /// What the reader can have now; `nil` where it has to wait.
        mutating func next() -> Result<BodyChunk?, ApusError>? {
            if let chunk = chunks.popFirst() {
                waitingBytes -= chunk.readableBytes
                if chunks.isEmpty { isGathering = false }
                return .success(BodyChunk(chunk))
            }
            if let failure { return .failure(failure) }
            return isEnded ? .success(nil) : nil
        }

        /// The reader that waits, with what it waits for.
        mutating func serve() -> (Reader, Result<BodyChunk?, ApusError>)? {
            guard let reader, let result = next() else { return nil }
            self.reader = nil
            return (reader, result)
        }

        /// Whether reading was stopped and may go on.
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

    // MARK: The loop's side

    func append(_ chunk: ByteBuffer) {
        serve { $0.append(chunk) }
    }

    func end(trailers: HTTPFields?) {
        serve { state in
            state.isEnded = true
            state.trailers = trailers
        }
    }

    /// Ends with an error, unless it has ended.
    func fail(_ error: ApusError) {
        serve { state in
            if !state.isEnded, state.failure == nil { state.failure = error }
        }
    }

    /// Whether enough waits for the reader; it says when it wants more.
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

    // MARK: The reader's side

    /// What can be had now, and whether the loop is to read on; `nil` where there is nothing to be had yet.
    func take() -> (result: Result<BodyChunk?, ApusError>, readsOn: Bool)? {
        state.withLock { state in
            state.next().map { ($0, state.release()) }
        }
    }

    /// Waits for the next chunk.
    ///
    /// - Returns: Whether the loop is to read on.
    func wait(_ reader: Reader) -> Bool {
        counters.add(to: .continuations)
        let (served, readsOn) = state.withLock { state in
            state.reader = reader
            let served = state.serve()
            return (served, state.release())
        }
        if let (reader, result) = served { resume(reader, result) }
        return readsOn
    }

    /// Gives up: what was not read is let go of, and nothing more comes.
    func cancel(_ error: ApusError) {
        serve { state in
            state.chunks = []
            state.isGathering = false
            state.waitingBytes = 0
            state.failure = state.failure ?? error
        }
    }

    /// Lets go of what was not read, and says how much that was; `nil` after the end.
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

    /// The trailer fields, once the whole content was read.
    var trailers: HTTPFields? {
        state.withLock { $0.chunks.isEmpty && $0.isEnded ? $0.trailers : nil }
    }
}
