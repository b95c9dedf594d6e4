internal import ApusCore

/// The readers of the events of a queue.
final class TransferEvents: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<TransferEvent>.Continuation] = [:]
        var nextID = 0
    }

    private let state = Lock(State())

    /// Returns the events from now on, for one reader.
    func stream(_ policy: AsyncStream<TransferEvent>.Continuation.BufferingPolicy) -> AsyncStream<TransferEvent> {
        let (stream, reader) = AsyncStream.makeStream(of: TransferEvent.self, bufferingPolicy: policy)
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            state.readers[state.nextID] = reader
            return state.nextID
        }
        reader.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    /// Reports an event to all readers.
    func yield(_ event: TransferEvent) {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(event) }
    }

    /// Ends the sequences of all readers.
    func finish() {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() }
    }

    private func remove(_ id: Int) {
        // Released outside the lock.
        let removed = state.withLock { $0.readers.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }
}
