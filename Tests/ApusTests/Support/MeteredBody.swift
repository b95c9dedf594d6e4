import Apus
import ApusTestSupport

/// A request body in chunks, which counts those that were read.
final class MeteredBody: Sendable {
    private let chunk: BodyChunk
    private let chunkCount: Int
    private let count = Tally()

    /// - Parameters:
    ///   - chunkCount: The number of chunks.
    ///   - chunkBytes: The size of each.
    init(_ chunkCount: Int, of chunkBytes: Int) {
        self.chunk = BodyChunk(repeatElement(UInt8(ascii: "a"), count: chunkBytes))
        self.chunkCount = chunkCount
    }

    /// The number of chunks that were read so far.
    var readCount: Int { count.value }

    /// The body, with a length.
    var body: RequestBody {
        .replayable(length: Int64(chunkCount * chunk.count)) { [self] () -> AsyncStream<BodyChunk> in
            let rest = LockedValue(chunkCount)
            return AsyncStream(unfolding: {
                guard rest.increased(by: -1) >= 0 else { return nil }
                self.count.countUp()
                return self.chunk
            })
        }
    }
}
