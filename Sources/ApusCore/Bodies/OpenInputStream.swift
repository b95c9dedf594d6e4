internal import Foundation

/// A stream that is opened by its first read, and closed when its last reference is released.
final class OpenInputStream: Sendable {
    private struct State {
        /// The stream of the caller, or the one that was made.
        var stream: InputStream?
        var isOpen = false
    }

    private let make: @Sendable () throws -> InputStream?
    /// Used by one read at a time, so that no thread waits for the lock while the stream blocks.
    private let state: Lock<State>

    init(_ make: @escaping @Sendable () throws -> InputStream?) {
        self.make = make
        self.state = Lock(State())
    }

    /// Creates it from a stream of the caller.
    init(_ stream: sending InputStream) {
        self.make = { nil }
        self.state = Lock(State(stream: stream))
    }

    deinit {
        state.withLock { state in
            if state.isOpen { state.stream?.close() }
        }
    }

    /// Returns the next bytes. Returns no bytes at the end.
    func read() throws(ApusError) -> BodyChunk {
        try state.withLock { state throws(ApusError) -> BodyChunk in
            if state.isOpen, let stream = state.stream { return try Self.chunk(of: stream) }
            let stream = if let given = state.stream { given } else { try made() }
            try Self.open(stream)
            state.stream = stream
            state.isOpen = true
            return try Self.chunk(of: stream)
        }
    }

    private func made() throws(ApusError) -> InputStream {
        let made: InputStream?
        do {
            made = try make()
        } catch {
            throw ApusError(wrapping: error, as: .requestBodyFailed, by: "the closure for its input stream")
        }
        guard let stream = made else {
            throw ApusError(.requestBodyFailed, "the closure for its input stream returned none; is there such a file?")
        }
        return stream
    }

    private static func open(_ stream: InputStream) throws(ApusError) {
        switch stream.streamStatus {
        case .notOpen: stream.open()
        case .atEnd, .closed, .error:
            throw ApusError(.requestBodyFailed, "its input stream was used already; each attempt needs a new one")
        default: break
        }
    }

    private static func chunk(of stream: InputStream) throws(ApusError) -> BodyChunk {
        let limit = InputStreamChunks.chunkBytes
        var count = 0
        let chunk = BodyChunk(unsafeUninitializedCapacity: limit) { memory in
            guard let bytes = memory.bindMemory(to: UInt8.self).baseAddress else { return 0 }
            count = stream.read(bytes, maxLength: limit)
            return min(max(count, 0), limit)
        }
        guard count < 0 else { return chunk }
        // Foundation stops the program if a stream without an error is asked for one.
        let error = stream.streamStatus == .error ? stream.streamError : nil
        let reason = error.map { ": \(Redaction.text(String(describing: $0)))" } ?? ""
        throw ApusError(.requestBodyFailed, "its input stream can't be read\(reason)", underlying: error)
    }
}
