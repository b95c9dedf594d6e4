/// Reads a body chunk by chunk, for one reader at a time.
package struct BodyReader {
    private let read: () async throws -> BodyChunk?

    package init(_ read: @escaping () async throws -> BodyChunk?) {
        self.read = read
    }

    package init<Chunks: AsyncSequence>(_ chunks: Chunks) where Chunks.Element == BodyChunk {
        var iterator = chunks.makeAsyncIterator()
        self.read = { try await iterator.next(isolation: #isolation) }
    }

    /// The next chunk; `nil` after the last.
    package func next() async throws -> BodyChunk? {
        try await read()
    }
}

extension RequestBody {
    /// Begins to read the content, from its first byte on.
    ///
    /// - Parameter counters: Where a file that is opened for it is counted; nowhere by default.
    /// - Returns: The reader. What it reads is not compared with the length that was promised.
    /// - Throws: `ApusError` with the code `bodyNotReplayable`, or what making the stream throws.
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
        }
    }
}
