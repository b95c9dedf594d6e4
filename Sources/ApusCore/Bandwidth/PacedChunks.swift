/// The chunks of a request body, read in turns at a limited rate.
struct PacedChunks: AsyncSequence, Sendable {
    typealias Element = BodyChunk

    let body: RequestBody
    let pace: TransferPace
    let environment: SessionEnvironment

    func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    struct Iterator: AsyncIteratorProtocol {
        private let source: PacedChunks
        private var reader: BodyReader?
        private var rest: BodyChunk?

        init(source: PacedChunks) {
            self.source = source
        }

        mutating func next() async throws -> BodyChunk? {
            guard let chunk = try await nextChunk() else { return nil }
            let turn = chunk.prefix(source.pace.turnBytes)
            rest = turn.count < chunk.count ? chunk.dropFirst(turn.count) : nil
            if !turn.isEmpty { try await source.pace.pass(turn.count, in: source.environment) }
            return turn
        }

        private mutating func nextChunk() async throws -> BodyChunk? {
            if let rest { return rest }
            let counters = source.environment.counters
            let reader = if let reader { reader } else { try await source.body.open(counters: counters) }
            self.reader = reader
            return try await reader.next()
        }
    }
}

extension RequestBody {
    /// Returns the same body, read at a limited rate. Its length, its trailers, and whether it can be sent again, do
    /// not change.
    ///
    /// A short body in memory stays as it is if it need not wait, so that it is still sent together with the head.
    func paced(by pace: TransferPace, in environment: SessionEnvironment) -> RequestBody {
        guard length != 0 else { return self }
        if let bytes = bytesInMemory, pace.passesAtOnce(bytes.count) { return self }
        let chunks = PacedChunks(body: self, pace: pace, environment: environment)
        if isReadOnce { return .once(length: length, chunks).with(trailerMaker) }
        return .replayable(length: length, pieces: { [self] in pieces }) { chunks }.with(trailerMaker)
    }
}
