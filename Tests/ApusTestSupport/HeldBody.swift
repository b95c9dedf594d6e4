package import ApusCore

/// A body that stops before one of its chunks until the barrier opens or the body is cancelled.
package final class HeldBody: BodySource {
    private let chunks: [String]
    private let heldIndex: Int
    private let barrier: Barrier
    private let position = Lock(0)
    private let isCancelled = Lock(false)

    package init(_ chunks: [String], before index: Int, _ barrier: Barrier) {
        self.chunks = chunks
        self.heldIndex = index
        self.barrier = barrier
    }

    package var wasCancelled: Bool { isCancelled.withLock { $0 } }

    package func next() async throws(ApusError) -> BodyChunk? {
        let index = position.withLock { position in
            defer { position += 1 }
            return position
        }
        if index == heldIndex {
            do { try await barrier.passUnlessCancelled() } catch { throw ApusError(.cancelled, "its reader gave up") }
        }
        if wasCancelled { throw ApusError(.cancelled, "it was given up") }
        return index < chunks.count ? BodyChunk(chunks[index]) : nil
    }

    package func cancel() {
        isCancelled.withLock { $0 = true }
        barrier.open()
    }
}
