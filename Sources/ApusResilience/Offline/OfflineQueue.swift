internal import ApusCore

/// The requests that wait for a network. The first polls for all of them, and the next takes over when its wait ends.
///
/// ```
///   enters → watches ─────────────────────→ a network is available: all requests are retried
///     │        ↑  └ its wait ends ────────┐
///     ├─────→ waits ←─ the first waiter ──┘
///     └ too many requests wait: refused
/// ```
///
/// All requests wait equally long, so the watching one always times out first, and it alone needs a timer.
struct OfflineQueue: Sendable {
    enum Turn: Sendable {
        case watch
        case retry
    }

    typealias Follower = Waiter<Turn>

    enum Entry: Sendable {
        case watching
        case following(Follower)
        case full
    }

    private let maximumWaiting: Int
    private var isWatched = false
    private var followers = WaiterQueue<Turn>()

    init(maximumWaiting: Int) {
        self.maximumWaiting = maximumWaiting
    }

    /// The number of waiting requests.
    var count: Int { followers.count + (isWatched ? 1 : 0) }

    mutating func enter() -> Entry {
        guard count < maximumWaiting else { return .full }
        guard isWatched else {
            isWatched = true
            return .watching
        }
        let follower = Follower()
        followers.append(follower)
        return .following(follower)
    }

    /// Removes a cancelled follower. Returns `false` if it was already resumed.
    mutating func withdraw(_ follower: Follower) -> Bool { followers.withdraw(follower) }

    /// Ends the watch of the current request. Returns the follower that watches next, if any.
    mutating func stopWatching() -> Follower? {
        let next = followers.popFirst()
        isWatched = next != nil
        return next
    }

    /// Removes all requests because there is a network. Returns the followers to resume.
    mutating func disband() -> [Follower] {
        isWatched = false
        return followers.removeAll()
    }
}
