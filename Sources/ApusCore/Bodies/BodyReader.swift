/// Reads a body chunk by chunk. It supports one reader at a time.
package struct BodyReader {
    private let read: () async throws -> BodyChunk?

    package init(_ read: @escaping () async throws -> BodyChunk?) {
        self.read = read
    }

    package init<Chunks: AsyncSequence>(_ chunks: Chunks) where Chunks.Element == BodyChunk {
        var iterator = chunks.makeAsyncIterator()
        self.read = { try await iterator.next(isolation: #isolation) }
    }

    /// Returns the next chunk, or `nil` after the last.
    package func next() async throws -> BodyChunk? {
        try await read()
    }
}

extension RequestBody {
    /// Starts reading the body from its first byte.
    ///
    /// - Parameter counters: The counters for a file that is opened. Default: none.
    /// - Returns: The reader. It does not compare the bytes it reads with the declared length.
    /// - Throws: `ApusError` with the code `bodyNotReplayable`, or the error of making the stream.
    package func open(counters: LiveCounters? = nil) async throws -> BodyReader {
        switch storage {
        case .none:
            return BodyReader { nil }
        case .bytes(let chunk):
            var unread: BodyChunk? = chunk
            return BodyReader { unread.take() }
        case .file(let file):
            return BodyReader(FileChunks(file, counters: counters))
        case .once(let content):
            return try content.open()
        case .replayable(_, let make, _):
            return try await make()
        case .trailed(let body, _):
            return try await body.open(counters: counters)
        }
    }
}
