internal import ApusCore
internal import DequeModule
internal import HTTPTypes

/// A body that is collected up to a limit. If it is longer, one request can read it from its beginning.
final class HandedOnBody: BodySource {
    private let stream: BodyStream
    /// The chunks that were collected and not read since.
    private let collected = Lock(Deque<BodyChunk>())

    init(_ stream: BodyStream) {
        self.stream = stream
    }

    /// Collects the body.
    ///
    /// - Parameter limit: The maximum size in bytes.
    /// - Returns: The whole body, or `nil` if it is longer. In this case it can be read from its beginning.
    /// - Throws: An error of reading the body.
    func collect(upTo limit: Int) async throws(ApusError) -> BodyChunk? {
        var count = 0
        while let chunk = try await stream.next(for: self) {
            collected.withLock { $0.append(chunk) }
            count += chunk.count
            guard count <= limit else { return nil }
        }
        let chunks = collected.withLock { collected in
            defer { collected = [] }
            return collected
        }
        return Self.joined(chunks, count)
    }

    private static func joined(_ chunks: Deque<BodyChunk>, _ count: Int) -> BodyChunk {
        if chunks.count < 2 { return chunks.first ?? BodyChunk("") }
        return BodyChunk(unsafeUninitializedCapacity: count) { memory in
            var offset = 0
            for chunk in chunks {
                let rest = UnsafeMutableRawBufferPointer(rebasing: memory[offset...])
                chunk.withUnsafeBytes { rest.copyMemory(from: $0) }
                offset += chunk.count
            }
            return offset
        }
    }

    func next() async throws(ApusError) -> BodyChunk? {
        if let chunk = collected.withLock({ $0.popFirst() }) { return chunk }
        return try await stream.next(for: self)
    }

    func cancel() { stream.source.cancel() }

    func discard() { stream.discard(for: self) }

    var trailers: HTTPFields? { stream.source.trailers }
}
