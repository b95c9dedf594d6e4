internal import ApusCore
internal import Synchronization

/// The origins that have moved away from their first event loop, because a coalesced connection is there.
final class MovedOrigins: Sendable {
    /// The maximum number of origins. Those beyond it use no coalesced connection of another loop.
    private static let capacity = 4096

    private let homes = Lock<[Origin: EngineLoop]>([:])
    /// Whether an origin has moved. Atomic, so that it can be read for each request without the lock.
    private let isUsed = Atomic<Bool>(false)

    /// Moves an origin to a loop. Returns `false` if it has moved before, so that requests do not move back and forth, or if too
    /// many origins have.
    func move(_ origin: Origin, to engineLoop: EngineLoop) -> Bool {
        isUsed.store(true, ordering: .relaxed)
        return homes.withLock { homes in
            guard homes.count < Self.capacity, homes[origin] == nil else { return false }
            homes[origin] = engineLoop
            return true
        }
    }

    /// The loop that an origin has moved to. `nil` if it has not moved.
    subscript(origin: Origin) -> EngineLoop? {
        guard isUsed.load(ordering: .relaxed) else { return nil }
        return homes.withLock { $0[origin] }
    }
}
