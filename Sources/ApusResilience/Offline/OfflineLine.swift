internal import ApusCore

/// Those who wait for a network: the first watches for all, and hands that on when it gives up.
///
/// ```
///   comes → watches ──────────────────────→ there is a network: all of them go again
///     │       ↑  └ its time is over: ────┐
///     ├────→ waits ←─ the first of them ─┘
///     └ is refused where too many wait
/// ```
///
/// All wait equally long, so that whoever watches is the first whose time is over, and the watch alone needs a timer.
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

    /// How many wait.
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

    /// A follower gives up; `false` where it was called.
    mutating func withdraw(_ follower: Follower) -> Bool { followers.withdraw(follower) }

    /// Who watched gives up: who watches now?
    mutating func giveUp() -> Follower? {
        let next = followers.popFirst()
        isWatched = next != nil
        return next
    }

    /// There is a network: who is to be told?
    mutating func disband() -> [Follower] {
        isWatched = false
        return followers.removeAll()
    }
}
