internal import ApusCore

/// The body of a request, compressed as it is read.
///
/// It holds at most one chunk and reads the next when that is used up. Long chunks are compressed off the event loop.
struct CompressedContent: AsyncSequence, Sendable {
    typealias Element = BodyChunk

    let content: RequestBody
    let format: Deflater.Format
    let level: Int

    func makeAsyncIterator() -> Iterator { Iterator(self) }

    struct Iterator: AsyncIteratorProtocol {
        private enum Progress {
            case unopened
            case reading(BodyReader, Worker)
            case ended
        }

        private let source: CompressedContent
        private var progress = Progress.unopened
        private var received: Int64 = 0
        /// Whether the current chunk takes so long to compress that it would delay other requests.
        private var isLong = false

        init(_ source: CompressedContent) {
            self.source = source
        }

        mutating func next() async throws -> BodyChunk? {
            while true {
                switch progress {
                case .unopened:
                    let reader = try await source.content.open()
                    progress = .reading(reader, Worker(try Deflater(source.format, level: source.level)))
                case .reading(let reader, let worker):
                    switch try await step(worker) {
                    case .chunk(let piece): return piece
                    case .unfinished: try Task.checkCancellation()
                    case .needsInput: try await read(reader, into: worker)
                    case .ended: progress = .ended
                    }
                case .ended:
                    return nil
                }
            }
        }

        private func step(_ worker: Worker) async throws -> Deflater.Step {
            isLong ? try await offEventLoop { try await worker.next() } : try await worker.next()
        }

        private mutating func read(_ reader: BodyReader, into worker: Worker) async throws {
            let chunk = try await reader.next()
            // Many streams simply end when their task is cancelled, which would look like a complete body.
            try Task.checkCancellation()
            received += Int64(chunk?.count ?? 0)
            // Check the declared length here, since later stages only see the compressed body.
            if let promised = source.content.length, chunk == nil ? received < promised : received > promised {
                let problem = chunk == nil ? "produced only \(received)" : "produced more"
                throw ApusError(.requestBodyFailed, "its body stream declared \(promised) bytes, but \(problem)")
            }
            isLong = chunk.map { $0.count > RequestCompression.longBytes } ?? isLong
            if let chunk { await worker.feed(chunk) } else { await worker.finish() }
        }
    }

    /// Serializes access to a deflater.
    private actor Worker {
        private let deflater: Deflater

        init(_ deflater: sending Deflater) {
            self.deflater = deflater
        }

        func next() throws(ApusError) -> Deflater.Step { try deflater.next() }

        func feed(_ chunk: BodyChunk) { deflater.feed(chunk) }

        func finish() { deflater.finish() }
    }
}
