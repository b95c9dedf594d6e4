internal import Foundation

/// The chunks of a stream of Foundation, read one chunk ahead of the consumer.
///
/// Reading blocks, so each stream has its own queue, as in `FileChunks`. It is made or opened when the first chunk is
/// requested.
struct InputStreamChunks: AsyncSequence, Sendable {
    typealias Element = BodyChunk

    /// The maximum number of bytes of one read.
    static let chunkBytes = 256 << 10

    private let prepare: @Sendable () -> OpenInputStream

    init(_ make: @escaping @Sendable () throws -> InputStream?) {
        self.prepare = { OpenInputStream(make) }
    }

    /// Creates the chunks of a stream of the caller. They can be read once.
    init(_ stream: sending InputStream) {
        let given = OpenInputStream(stream)
        self.prepare = { given }
    }

    func makeAsyncIterator() -> Iterator { Iterator(prepare()) }

    struct Iterator: AsyncIteratorProtocol {
        private typealias Read = Deferred<Result<BodyChunk, ApusError>>

        private let stream: OpenInputStream
        private let queue = DispatchQueue(label: "apus.stream-reading")
        private var ahead: Read?
        private var hasEnded = false

        init(_ stream: OpenInputStream) {
            self.stream = stream
        }

        mutating func next() async throws -> BodyChunk? {
            guard !hasEnded else { return nil }
            let pending = ahead ?? read()
            let outcome = await pending.value
            if case .success(let chunk) = outcome, !chunk.isEmpty {
                ahead = read()
                return chunk
            }
            (hasEnded, ahead) = (true, nil)
            _ = try outcome.get()
            return nil
        }

        /// Starts reading the next chunk.
        private func read() -> Read {
            let outcome = Read()
            queue.async { [stream] in
                do throws(ApusError) {
                    outcome.fulfill(.success(try stream.read()))
                } catch {
                    outcome.fulfill(.failure(error))
                }
            }
            return outcome
        }
    }
}
