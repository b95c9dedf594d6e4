internal import ApusCore

/// The buckets of a rate limiter and the queue of requests at each.
///
/// ```
///            a token is there                            a token came
///   comes ─────────────────────→ admitted     leads ─────────────────────→ admitted
///     │ nobody waits: leads                     ↑ the leader was admitted or gave up
///     │ somebody does: follows ─────────────────┘
///     └ the line is full, or it would take too long: refused
/// ```
///
/// The first request in a queue, its leader, sleeps until the next token and then resumes the request behind it. The
/// others sleep until they are resumed. So a queue needs one timer, and no task other than those of its requests.
struct RateLimiterLines: Sendable {
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

    private struct Line: Sendable {
        var bucket: TokenBucket
        var isLed = false
        var followers = WaitingLine<Void>()

        var count: Int { followers.count + (isLed ? 1 : 0) }

        /// Returns the follower that becomes the leader.
        mutating func succession() -> Follower? {
            let next = followers.popFirst()
            isLed = next != nil
            return next
        }
    }

    private let rules: Rules
    private var lines: BoundedTable<Origin?, Line>
    private(set) var waitingCount = 0

    init(_ rules: Rules, maximumOrigins: Int) {
        self.rules = rules
        self.lines = BoundedTable(limit: maximumOrigins)
    }

    mutating func enter(_ key: Origin?, at now: MonotonicInstant) -> Entry {
        let isFull = waitingCount >= rules.maximumWaiting
        let maximumWait = rules.maximumWait
        let entry = change(key) { line -> Entry in
            if !line.isLed, line.bucket.take(at: now) { return .admitted }
            let delay = line.bucket.delay(behind: line.count, at: now)
            guard delay <= maximumWait else { return .tooLong(delay) }
            guard !isFull else { return .full(delay) }
            guard line.isLed else {
                line.isLed = true
                return .leading
            }
            let follower = Follower()
            line.followers.append(follower)
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
        let turn = change(key) { line -> Turn in
            guard line.bucket.take(at: now) else {
                return .sleep(until: now.advanced(by: line.bucket.delay(behind: 0, at: now)))
            }
            return .admitted(line.succession())
        }
        if case .admitted = turn { waitingCount -= 1 }
        return turn
    }

    /// Removes a cancelled leader. Returns the new leader, if any.
    mutating func giveUp(_ key: Origin?) -> Follower? {
        waitingCount -= 1
        return change(key) { $0.succession() }
    }

    /// Removes a cancelled follower. Returns `false` if it was already made the leader.
    mutating func withdraw(_ follower: Follower, _ key: Origin?) -> Bool {
        let isWithdrawn = change(key) { $0.followers.withdraw(follower) }
        if isWithdrawn { waitingCount -= 1 }
        return isWithdrawn
    }

    private mutating func change<Result>(_ key: Origin?, _ change: (inout Line) -> Result) -> Result {
        lines.update(key, default: Line(bucket: rules.bucket), keeping: \.isLed, change)
    }
}
