internal import ApusPlatform
internal import Foundation

/// Appends chunks to an open file on a serial queue, since writing blocks.
///
/// Chunks that arrive during a write are collected, and the next write takes all of them. The queue is thus woken once
/// for many chunks. A caller that is faster than the disk waits.
final class FileWriter: Sendable {
    /// The number of collected bytes above which a caller has to wait.
    private static let limitBytes = 512 << 10

    private struct State {
        var chunks: [BodyChunk] = []
        var byteCount = 0
        var isWriting = false
        var failure: ApusError?
        /// Fulfilled when the collected chunks are taken.
        var taken: Deferred<Void>?
        /// Fulfilled when all chunks are written.
        var idle: Deferred<Void>?
    }

    private let state = Lock(State())
    private let descriptor: Int32
    private let queue: DispatchQueue
    private let failure: @Sendable (Int32) -> ApusError

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor of the open file. Its owner closes it.
    ///   - queue: A serial queue.
    ///   - failure: Makes an error from an `errno` code.
    init(_ descriptor: Int32, on queue: DispatchQueue, failure: @escaping @Sendable (Int32) -> ApusError) {
        self.descriptor = descriptor
        self.queue = queue
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
            let starts = !state.isWriting
            state.isWriting = true
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
        let idle = state.withLock { state -> Deferred<Void>? in
            guard state.isWriting else { return nil }
            let idle = state.idle ?? Deferred()
            state.idle = idle
            return idle
        }
        await idle?.value
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func writeAll() {
        while true {
            let (chunks, taken, idle) = state.withLock { state -> ([BodyChunk], Deferred<Void>?, Deferred<Void>?) in
                let chunks = state.failure == nil ? state.chunks : []
                state.chunks = []
                state.byteCount = 0
                defer {
                    state.taken = nil
                    if chunks.isEmpty { state.idle = nil }
                }
                if chunks.isEmpty { state.isWriting = false }
                return (chunks, state.taken, chunks.isEmpty ? state.idle : nil)
            }
            taken?.fulfill(())
            idle?.fulfill(())
            guard !chunks.isEmpty else { return }
            for chunk in chunks {
                guard let code = put(chunk) else { continue }
                state.withLock { $0.failure = failure(code) }
                break
            }
        }
    }

    /// Writes a chunk at the current position of the file. Returns the `errno` code on failure.
    private func put(_ chunk: BodyChunk) -> Int32? {
        chunk.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : ENOSPC }
                rest = rest.dropFirst(count)
            }
            return nil
        }
    }
}
