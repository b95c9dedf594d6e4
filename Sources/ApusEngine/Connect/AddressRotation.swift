internal import ApusCore

/// Counts the connections to each host of a session, for `AddressRules.Order.rotating`.
final class AddressRotation: Sendable {
    /// The maximum number of hosts. Beyond it, all of them begin anew.
    private static let capacity = 1000

    private let turns = Lock<[String: Int]>([:])

    /// Returns the number of earlier calls for a host.
    func next(for host: String) -> Int {
        turns.withLock { turns in
            if turns[host] == nil, turns.count >= Self.capacity { turns = [:] }
            let turn = turns[host, default: 0]
            turns[host] = turn &+ 1
            return turn
        }
    }
}
