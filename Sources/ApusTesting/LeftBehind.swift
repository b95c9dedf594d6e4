public import Apus
internal import ApusCore

/// The resources that remained after a session was shut down.
public struct LeftBehind: Error, CustomStringConvertible {
    /// The number of remaining resources, by kind.
    public let counts: [String: Int]

    /// The kinds and their counts.
    public var description: String {
        "left behind: " + counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}

/// Shuts a session down and checks that nothing remains: no request, connection, pool, exchange, task, timer,
/// continuation, file or lookup.
///
/// Waits for active requests to finish before the shutdown, and for cancelled work, such as a lookup by the operating
/// system, after it. Each wait takes at most ten seconds of real time, even if the session has a manual clock.
///
/// - Throws: `LeftBehind` if anything remains.
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

/// Returns when `condition` is true, or after ten seconds.
private func settled(_ condition: () -> Bool) async {
    // Work in other tasks needs executor turns, not time.
    for _ in 0..<1000 where !condition() { await Task.yield() }
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .seconds(10))
    while !condition(), clock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
}
