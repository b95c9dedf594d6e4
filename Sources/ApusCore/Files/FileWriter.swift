internal import ApusPlatform
internal import Foundation

/// Writes chunks to an open file on a serial queue, since writing blocks: at its current position, or from an offset
/// on. Several writers with offsets may share a file and its queue.
///
/// Chunks that arrive during a write are collected, and the next write takes all of them. The queue is thus woken once
/// for many chunks. A chunk that more bytes follow waits for them, since each time costs a switch between threads. A
/// caller that is faster than the disk waits.
final class FileWriter: Sendable {
    /// The number of collected bytes above which a caller has to wait.
    private static let limitBytes = 512 << 10
    /// The number of collected bytes that wait for no more.
    private static let enoughBytes = 128 << 10
    /// The maximum number of chunks of one system call, as far as POSIX systems allow.
    private static let maximumChunks = 1024

    private struct State {
        var chunks: [BodyChunk] = []
        var byteCount = 0
        var isWriting = false
        /// The position of the next chunk. `nil` for the current position of the file.
        var offset: Int64?
        var failure: ApusError?
        /// Fulfilled when the collected chunks are taken.
        var taken: Deferred<Void>?
        /// Fulfilled when all chunks are written.
        var idle: Deferred<Void>?
    }

    /// The chunks that are written at once, and the position of the first.
    private struct Turn: Sendable {
        let chunks: [BodyChunk]
        let offset: Int64?
    }

    private let state: Lock<State>
    private let descriptor: Int32
    private let queue: DispatchQueue
    private let digest: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    private let written: (@Sendable (Range<Int64>) -> Void)?
    private let failure: @Sendable (Int32) -> ApusError

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor of the open file. Its owner closes it.
    ///   - offset: The position of the first chunk. Default: `nil`, the current position of the file.
    ///   - queue: A serial queue.
    ///   - digest: Called with the bytes of each chunk once they are written. Default: `nil`.
    ///   - written: Called with each range that was written, in order, if the writer has an offset. Default: `nil`.
    ///   - failure: Makes an error from an `errno` code.
    init(
        _ descriptor: Int32,
        at offset: Int64? = nil,
        on queue: DispatchQueue,
        digest: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil,
        written: (@Sendable (Range<Int64>) -> Void)? = nil,
        failure: @escaping @Sendable (Int32) -> ApusError
    ) {
        self.state = Lock(State(offset: offset))
        self.descriptor = descriptor
        self.queue = queue
        self.digest = digest
        self.written = written
        self.failure = failure
    }

    /// Queues a chunk, and returns when there is space for another one.
    ///
    /// - Throws: The error of an earlier chunk.
    func append(_ chunk: BodyChunk) async throws(ApusError) {
        let (starts, taken, failure) = state.withLock { state -> (Bool, Deferred<Void>?, ApusError?) in
            if let failure = state.failure { return (false, nil, failure) }
            state.chunks.append(chunk)
            state.byteCount += chunk.count
            let isUrgent = !chunk.isFollowed || state.byteCount >= Self.enoughBytes
            let starts = isUrgent && !state.isWriting
            if starts { state.isWriting = true }
            guard state.byteCount > Self.limitBytes else { return (starts, nil, nil) }
            let taken = state.taken ?? Deferred()
            state.taken = taken
            return (starts, taken, nil)
        }
        if let failure { throw failure }
        if starts { queue.async { self.writeAll() } }
        await taken?.value
    }

    /// Returns when all chunks are written.
    ///
    /// - Throws: The error of a chunk.
    func drain() async throws(ApusError) {
        let (starts, idle) = state.withLock { state -> (Bool, Deferred<Void>?) in
            let starts = !state.isWriting && !state.chunks.isEmpty
            if starts { state.isWriting = true }
            guard state.isWriting else { return (false, nil) }
            let idle = state.idle ?? Deferred()
            state.idle = idle
            return (starts, idle)
        }
        if starts { queue.async { self.writeAll() } }
        await idle?.value
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Writes the collected chunks, and then those that were collected since. Other writers on the queue take turns.
    private func writeAll() {
        let (turn, taken, idle) = state.withLock { state -> (Turn, Deferred<Void>?, Deferred<Void>?) in
            let turn = Turn(chunks: state.failure == nil ? state.chunks : [], offset: state.offset)
            if let offset = state.offset { state.offset = offset + Int64(state.byteCount) }
            state.chunks = []
            state.byteCount = 0
            defer {
                state.taken = nil
                if turn.chunks.isEmpty { state.idle = nil }
            }
            if turn.chunks.isEmpty { state.isWriting = false }
            return (turn, state.taken, turn.chunks.isEmpty ? state.idle : nil)
        }
        taken?.fulfill(())
        idle?.fulfill(())
        guard !turn.chunks.isEmpty else { return }
        if let code = put(turn) {
            let error = failure(code)
            state.withLock { $0.failure = error }
        }
        queue.async { self.writeAll() }
    }

    /// Writes chunks. Returns the `errno` code of the first that could not be written.
    private func put(_ turn: Turn) -> Int32? {
        var offset = turn.offset
        var rest = turn.chunks[...]
        var code: Int32?
        while code == nil, !rest.isEmpty {
            let chunks = rest.prefix(Self.maximumChunks)
            rest = rest.dropFirst(chunks.count)
            code = put(chunks, at: &offset)
            if code == nil, let digest { for chunk in chunks { chunk.withUnsafeBytes(digest) } }
        }
        if let written, let begin = turn.offset, let end = offset, begin < end { written(begin..<end) }
        return code
    }

    /// Writes chunks at an offset, which it advances, or at the current position of the file. Returns the `errno` code on
    /// failure.
    private func put(_ chunks: ArraySlice<BodyChunk>, at offset: inout Int64?) -> Int32? {
        // The chunks keep the memory that the vectors point to.
        let vectors = chunks.map { chunk in
            iovec(iov_base: UnsafeMutableRawPointer(mutating: chunk.memory.baseAddress), iov_len: chunk.count)
        }
        return withExtendedLifetime(chunks) {
            var rest = vectors[...]
            while let first = rest.first {
                if first.iov_len == 0 {
                    rest = rest.dropFirst()
                    continue
                }
                let count = rest.withUnsafeBufferPointer { pieces in
                    offset.map { pwritev(descriptor, pieces.baseAddress, Int32(pieces.count), off_t($0)) }
                        ?? writev(descriptor, pieces.baseAddress, Int32(pieces.count))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : ENOSPC }
                offset = offset.map { $0 + Int64(count) }
                rest.skip(count)
            }
            return nil
        }
    }
}

extension ArraySlice<iovec> {
    /// Removes the first bytes.
    mutating func skip(_ byteCount: Int) {
        var count = byteCount
        while let first, count >= first.iov_len {
            count -= first.iov_len
            self = dropFirst()
        }
        guard count > 0, let address = first?.iov_base else { return }
        self[startIndex].iov_base = address + count
        self[startIndex].iov_len -= count
    }
}
