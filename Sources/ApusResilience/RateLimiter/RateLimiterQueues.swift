internal import ApusCore

/// The buckets of a rate limiter and the queue of requests at each.
///
/// ```
///            a token is available                          next token
///   enters ─────────────────────→ admitted     leads ─────────────────────→ admitted
///     │ the queue is empty: leads                ↑ the leader was admitted or cancelled
///     │ requests wait: follows ──────────────────┘
///     └ the queue is full, or the wait too long: refused
/// ```
///
/// The first request in a queue, its leader, sleeps until the next token and then resumes the request behind it. The
/// others sleep until they are resumed. So a queue needs one timer, and no task other than those of its requests.
struct RateLimiterQueues: Sendable {
    struct Rules: Sendable {
        var bucket: TokenBucket
        var maximumWait: Duration
        var maximumWaiting: Int
    }

    typealias Follower = Waiter<Void>

    enum Entry: Sendable {
        case admitted
        case leading
        case following(Follower)
        case tooLong(Duration)
        case full(Duration)
    }

    enum Turn: Sendable {
        /// The leader got its token. The value is the new leader, if any.
        case admitted(Follower?)
        case sleep(until: MonotonicInstant)
    }

    private struct Queue: Sendable {
        var bucket: TokenBucket
        var hasLeader = false
        var followers = WaiterQueue<Void>()

        var count: Int { followers.count + (hasLeader ? 1 : 0) }

        /// Returns the follower that becomes the leader.
        mutating func succession() -> Follower? {
            let next = followers.popFirst()
            hasLeader = next != nil
            return next
        }
    }

    private let rules: Rules
    private var queues: BoundedTable<Origin?, Queue>
    private(set) var waitingCount = 0

    init(_ rules: Rules, maximumOrigins: Int) {
        self.rules = rules
        self.queues = BoundedTable(limit: maximumOrigins)
    }

    mutating func enter(_ key: Origin?, at now: MonotonicInstant) -> Entry {
        let isFull = waitingCount >= rules.maximumWaiting
        let maximumWait = rules.maximumWait
        let entry = change(key) { queue -> Entry in
            if !queue.hasLeader, queue.bucket.take(at: now) { return .admitted }
            let delay = queue.bucket.delay(behind: queue.count, at: now)
            guard delay <= maximumWait else { return .tooLong(delay) }
            guard !isFull else { return .full(delay) }
            guard queue.hasLeader else {
                queue.hasLeader = true
                return .leading
            }
            let follower = Follower()
            queue.followers.append(follower)
            return .following(follower)
        }
        switch entry {
        case .leading, .following: waitingCount += 1
        case .admitted, .tooLong, .full: break
        }
        return entry
    }

    /// Takes a token for the leader, or returns the time until which it must sleep.
    mutating func turn(_ key: Origin?, at now: MonotonicInstant) -> Turn {
        let turn = change(key) { queue -> Turn in
            guard queue.bucket.take(at: now) else {
                return .sleep(until: now.advanced(by: queue.bucket.delay(behind: 0, at: now)))
            }
            return .admitted(queue.succession())
        }
        if case .admitted = turn { waitingCount -= 1 }
        return turn
    }

    /// Removes a cancelled leader. Returns the new leader, if any.
    mutating func cancelLeader(_ key: Origin?) -> Follower? {
        waitingCount -= 1
        return change(key) { $0.succession() }
    }

    /// Removes a cancelled follower. Returns `false` if it was already made the leader.
    mutating func withdraw(_ follower: Follower, _ key: Origin?) -> Bool {
        let isWithdrawn = change(key) { $0.followers.withdraw(follower) }
        if isWithdrawn { waitingCount -= 1 }
        return isWithdrawn
    }

    private mutating func change<Result>(_ key: Origin?, _ change: (inout Queue) -> Result) -> Result {
        queues.update(key, default: Queue(bucket: rules.bucket), keeping: \.hasLeader, change)
    }
}
