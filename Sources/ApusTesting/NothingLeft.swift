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

/// Shuts a session down and makes sure that nothing is left of it: no request, connection, pool, exchange, task, timer,
/// continuation, file or lookup.
///
/// What was asked for may end by itself, and what was given up may need a moment to go, a lookup of the operating
/// system's for example: each is waited for by the clock on the wall, whatever clock the session has, for ten seconds.
///
/// - Throws: `LeftBehind`.
public func assertNothingLeft(_ session: Session) async throws {
    await settled { session.requestCounts == (0, 0) }
    let (inFlight, waiting) = session.requestCounts
    await session.shutdown(within: .zero)
    await settled { session.liveCounts.isEmpty }
    var counts = session.liveCounts
    if inFlight > 0 { counts["requests in flight"] = inFlight }
    if waiting > 0 { counts["requests waiting"] = waiting }
    guard counts.isEmpty else { throw LeftBehind(counts: counts) }
}

/// Returns when `condition` holds, or after ten seconds.
private func settled(_ condition: () -> Bool) async {
    // What ends in a task of its own needs turns of the executor, not time.
    for _ in 0..<1000 where !condition() { await Task.yield() }
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .seconds(10))
    while !condition(), clock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
}
