public import Apus
internal import ApusCore

/// What a session was found to have left behind.
public struct LeftBehind: Error, CustomStringConvertible {
    /// How much of each kind.
    public let counts: [String: Int]

    /// The kinds and counts.
    public var description: String {
        "left behind: " + counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}

/// Shuts a session down and makes sure that nothing is left of it: no connection, exchange, task, timer, continuation,
/// file or lookup.
///
/// - Throws: `LeftBehind`.
public func assertNothingLeft(_ session: Session) async throws {
    await session.shutdown()
    // What ends in a task of its own needs turns of the executor, not time.
    for _ in 0..<10_000 where !session.liveCounts.isEmpty { await Task.yield() }
    let counts = session.liveCounts
    guard counts.isEmpty else { throw LeftBehind(counts: counts) }
}
