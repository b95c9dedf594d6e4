internal import Foundation

/// A stream that is opened by its first read, and closed when its last reference is released.
final class OpenInputStream: Sendable {
    private let make: @Sendable () throws -> InputStream?
    /// Used by one read at a time, so that no thread waits for the lock while the stream blocks.
    private let stream = Lock<InputStream?>(nil)

    init(_ make: @escaping @Sendable () throws -> InputStream?) {
        self.make = make
    }

    deinit {
        stream.withLock { $0?.close() }
    }

    /// Returns the next bytes. Returns no bytes at the end.
    func read() throws(ApusError) -> BodyChunk {
        try stream.withLock { stream throws(ApusError) -> BodyChunk in
            if let stream { return try Self.chunk(of: stream) }
            let opened = try open()
            stream = opened
            return try Self.chunk(of: opened)
        }
    }

    private func open() throws(ApusError) -> InputStream {
        let made: InputStream?
        do {
            made = try make()
        } catch {
            throw ApusError(wrapping: error, as: .requestBodyFailed, by: "the closure for its input stream")
        }
        guard let stream = made else {
            throw ApusError(.requestBodyFailed, "the closure for its input stream returned none; is there such a file?")
        }
        switch stream.streamStatus {
        case .notOpen: stream.open()
        case .atEnd, .closed, .error:
            throw ApusError(.requestBodyFailed, "its input stream was used already; return a new one for each attempt")
        default: break
        }
        return stream
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
