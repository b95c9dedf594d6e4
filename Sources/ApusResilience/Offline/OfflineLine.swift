internal import ApusCore

/// The requests that wait for a network. The first polls for all of them, and the next takes over when its wait ends.
///
/// ```
///   comes → watches ──────────────────────→ there is a network: all of them go again
///     │       ↑  └ its time is over: ────┐
///     ├────→ waits ←─ the first of them ─┘
///     └ is refused where too many wait
/// ```
///
/// All requests wait equally long, so the watching one always times out first, and it alone needs a timer.
struct OfflineLine: Sendable {
    enum Turn: Sendable {
        case watch
        case goAgain
    }

    typealias Follower = Waiter<Turn>

    enum Entry: Sendable {
        case watching
        case following(Follower)
        case full
    }

    private let maximumWaiting: Int
    private var isWatched = false
    private var followers = WaitingLine<Turn>()

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
    mutating func giveUp() -> Follower? {
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
