internal import ApusCore
internal import DequeModule

/// Those who wait for a network: the first watches for all, and hands that on when it gives up.
///
/// ```
///   comes → watches ──────────────────────→ there is a network: all of them go again
///     │       ↑  └ its time is over: ────┐
///     └────→ waits ←─ the first of them ─┘
/// ```
///
/// All wait equally long, so that whoever watches is the first whose time is over, and the watch alone needs a timer.
struct OfflineLine: Sendable {
    enum Turn: Sendable {
        case watch
        case goAgain
    }

    typealias Follower = Waiter<Turn>

    private var isWatched = false
    private var followers = Deque<Follower>()

    /// How many wait.
    var count: Int { followers.count + (isWatched ? 1 : 0) }

    /// - Returns: Who has to be called; `nil` where it has to watch by itself.
    mutating func enter() -> Follower? {
        guard isWatched else {
            isWatched = true
            return nil
        }
        let follower = Follower()
        followers.append(follower)
        return follower
    }

    /// A follower gives up; `false` where it was called.
    mutating func withdraw(_ follower: Follower) -> Bool {
        guard let index = followers.firstIndex(where: { $0 === follower }) else { return false }
        followers.remove(at: index)
        return true
    }

    /// Who watched gives up: who watches now?
    mutating func giveUp() -> Follower? {
        let next = followers.popFirst()
        isWatched = next != nil
        return next
    }

    /// There is a network: who is to be told?
    mutating func disband() -> [Follower] {
        isWatched = false
        defer { followers = [] }
        return Array(followers)
    }
}
