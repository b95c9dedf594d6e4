internal import ApusCore
internal import DequeModule

/// The connections of one route and the requests that wait for one. A connection serves as many requests at a time as
/// its capacity: one over HTTP/1.1, several over HTTP/2.
///
/// ```
///   connection   connecting → leased ⇄ idle → gone        (failed attempt: connecting → gone)
///                connecting → idle                        (no waiter is left, or there was none: a prepared one)
///                  leased → draining → leased | idle      (the rest of a response is discarded)
///                  leased → retired → gone                (takes no more requests, and finishes those it has)
///   waiter       waiting → leased | failed | withdrawn    by priority, then first come, first served
/// ```
///
/// The capacity of an attempt is that of the last connection. Until there is one whose protocol is known, at most one
/// attempt is made at a time, since it may serve all waiters.
///
/// The pool begins an attempt for a waiter, or to prepare a connection. It begins one for a waiter only if its attempts
/// are too few for the waiters. Those that prepare connections count, since a waiter takes their connection too. None
/// begins to prepare a connection while there are as many idle connections and attempts as are wanted. A draining
/// connection counts for one waiter, because the request that follows a redirect or a challenge comes right after it and
/// should reuse the connection.
///
/// Waiters are served by their priority, and those of one priority in the order of their arrival, with the connection
/// that was used last. A waiter that needs a new connection is at the front, since it has had its turn. Waiters behind
/// it may take an idle one.
struct PoolStateMachine {
    /// Increases with each connection.
    typealias ConnectionID = Int
    /// Positive, and increases with each request. A request that is resent keeps its number.
    typealias WaiterID = Int

    struct Waiter {
        let id: WaiterID
        let priority: RequestPriority
    }

    struct Connection {
        var state: State
        let created: MonotonicInstant
        /// The number of its slots: the maximum number of requests at a time.
        var capacity = 1
        /// The number of its requests. Counted only if it is multiplexed.
        var used = 0
        /// The number of requests that it has begun. Counted only if it is multiplexed.
        var uses = 0
        /// Whether it takes no more requests.
        var isRetired = false

        var hasFreeSlot: Bool { used < capacity && !isRetired }

        enum State {
            /// `lastWaiter` is the highest number among the waiters when the attempt began. Later waiters have higher
            /// numbers, except for resent ones. It is 0 if the attempt prepares a connection, so that no waiter fails
            /// with it.
            case connecting(lastWaiter: WaiterID)
            case idle(since: MonotonicInstant)
            case leased
            case draining
        }
    }

    private let limit: Int
    private let idleTimeout: Duration
    private let maximumAge: Duration?
    private let usesPerConnection: Int?
    var connections = NumberedTable<Connection>()
    /// The idle connections, the most recently used last.
    var idle: [ConnectionID] = []
    /// The next one first: those that need a new connection, then the others by priority.
    var waiters = Deque<Waiter>()
    /// Waiters at the front of the queue that must not get an idle connection.
    var newConnectionWaiters: Set<WaiterID> = []
    /// The leased connections with free slots, the one to use next last.
    var withFreeSlots: [ConnectionID] = []
    /// The connections that may serve several requests at a time.
    var multiplexed: Set<ConnectionID> = []
    /// The expected capacity of a new connection. `nil` if its protocol is unknown.
    var expectedCapacity: Int?
    private var connectingCount = 0
    private var drainingCount = 0
    private(set) var isClosed = false

    /// - Parameters:
    ///   - limit: The maximum number of connections.
    ///   - idleTimeout: The maximum time that a connection is kept idle.
    ///   - maximumAge: The maximum age of a connection that takes a request. `nil` for none.
    ///   - usesPerConnection: The maximum number of requests of a connection. `nil` for none. Default: `nil`.
    ///   - expectedCapacity: The expected capacity of the first connection, `nil` if its protocol is unknown. Default: 1.
    init(
        limit: Int,
        idleTimeout: Duration,
        maximumAge: Duration?,
        usesPerConnection: Int? = nil,
        expectedCapacity: Int? = 1
    ) {
        self.limit = max(limit, 1)
        self.expectedCapacity = expectedCapacity
        self.idleTimeout = idleTimeout
        self.maximumAge = maximumAge
        self.usesPerConnection = usesPerConnection.map { max($0, 1) }
    }

    var isUnused: Bool { connections.isEmpty && waiters.isEmpty }
    /// The number of connections and attempts. For tests.
    var connectionCount: Int { connections.count }
    var idleCount: Int { idle.count }
    var waiterCount: Int { waiters.count }

    enum AcquireAction: Equatable {
        case lease(ConnectionID, closing: [ConnectionID])
        /// The caller begins an attempt if `wantsConnection`.
        case wait(closing: [ConnectionID])
    }

    /// Requests a connection.
    ///
    /// - Parameters:
    ///   - waiter: The waiter.
    ///   - priority: Its priority. Read only if it has to wait. Default: `.normal`.
    ///   - requiresNewConnection: Whether the waiter's last connection was dead. It then moves to the front and gets no
    ///     idle connection, since those are of the same age and may be dead too.
    ///   - now: The current time.
    /// - Returns: The waiter's connection or the wait for one, and the idle connections to close.
    mutating func acquire(
        _ waiter: WaiterID,
        priority: @autoclosure () -> RequestPriority = .normal,
        requiresNewConnection: Bool = false,
        now: MonotonicInstant
    ) -> AcquireAction {
        var closing: [ConnectionID] = []
        if requiresNewConnection {
            waiters.insert(Waiter(id: waiter, priority: priority()), at: newConnectionWaiters.count)
            newConnectionWaiters.insert(waiter)
            if connections.count >= limit, isShort(of: waiters.count), let oldest = idle.first {
                remove(oldest)
                closing.append(oldest)
            }
            return .wait(closing: closing)
        }
        // A request must not overtake waiters by taking an idle connection, except those that need a new one.
        if !hasOrdinaryWaiters {
            if let id = takeSlot(now: now) { return .lease(id, closing: closing) }
            while let id = idle.popLast() {
                guard isTooOld(id, now: now) else {
                    connections.update(id) { $0.state = .leased }
                    if !multiplexed.isEmpty { noteLeased(id) }
                    return .lease(id, closing: closing)
                }
                forget(id)
                closing.append(id)
            }
        }
        enqueue(Waiter(id: waiter, priority: priority()))
        return .wait(closing: closing)
    }

    /// Adds a waiter behind those of the same or a higher priority, and those that need a new connection.
    private mutating func enqueue(_ waiter: Waiter) {
        let place = waiters[newConnectionWaiters.count...].insertionIndex(for: waiter.priority, by: \.priority)
        waiters.insert(waiter, at: place)
    }

    /// Whether another connection would be useful and is allowed.
    ///
    /// A draining connection counts for one waiter, unless that waiter needs a new connection.
    var wantsConnection: Bool {
        let drained = drainingCount == 0 ? 0 : min(drainingCount, waiters.count - newConnectionWaiters.count)
        return needsAttempt(besides: drained)
    }

    /// Whether a connection can be used when a permit is already granted. Draining connections do not count then.
    var takesConnection: Bool { needsAttempt(besides: 0) }

    /// Whether the attempts under way, and `served` other connections, are too few for the waiters.
    private func needsAttempt(besides served: Int) -> Bool {
        guard !isClosed, connections.count < limit, served < waiters.count else { return false }
        return isShort(of: waiters.count - served)
    }

    /// Whether the attempts that are under way would serve fewer than `count` waiters.
    private func isShort(of count: Int) -> Bool {
        guard let expectedCapacity else { return connectingCount == 0 }
        let (expected, isOverflow) = connectingCount.multipliedReportingOverflow(by: expectedCapacity)
        return !isOverflow && expected < count
    }

    /// Records the start of a connection attempt.
    mutating func beginConnecting(_ id: ConnectionID, now: MonotonicInstant) {
        beginConnecting(id, lastWaiter: waiters.lazy.map(\.id).max() ?? 0, now: now)
    }

    private mutating func beginConnecting(_ id: ConnectionID, lastWaiter: WaiterID, now: MonotonicInstant) {
        connections[id] = Connection(state: .connecting(lastWaiter: lastWaiter), created: now)
        connectingCount += 1
    }

    /// Returns the number of attempts that are missing and allowed, so that `count` connections are idle or connecting.
    func missingConnections(for count: Int) -> Int {
        guard !isClosed, count > 0, !hasFreeSlot else { return 0 }
        let missing = max(min(count - idle.count - connectingCount, limit - connections.count), 0)
        // One connection that serves several requests is enough.
        return expectedCapacity == 1 ? missing : min(missing, max(1 - connectingCount, 0))
    }

    /// Records the start of a connection attempt that prepares a connection. If it fails, no waiter fails with it.
    mutating func beginPreparing(_ id: ConnectionID, now: MonotonicInstant) {
        beginConnecting(id, lastWaiter: 0, now: now)
    }

    /// Marks a leased connection as draining: the rest of its response is read and discarded, which ends soon.
    ///
    /// A connection that has served `uses` exchanges and no longer may serve another one is not marked.
    mutating func drain(_ id: ConnectionID, uses: Int = 0) {
        guard !isUsedUp(after: uses), case .leased? = connections[id]?.state, !isMultiplexed(id) else { return }
        connections.update(id) { $0.state = .draining }
        drainingCount += 1
    }

    enum ConnectionAction: Equatable {
        case lease(WaiterID)
        case keepIdle
        /// The connection keeps its other requests.
        case stay
        case close
    }

    /// Handles a successful connection attempt.
    ///
    /// - Parameters:
    ///   - id: The connection.
    ///   - capacity: The number of requests that it serves at a time.
    ///   - isMultiplexed: Whether this number may be above 1. The caller then calls `serveAnother`. Default: `false`.
    ///   - now: The current time.
    /// - Returns: The action for the connection.
    mutating func connected(
        _ id: ConnectionID,
        capacity: Int = 1,
        isMultiplexed: Bool = false,
        now: MonotonicInstant
    ) -> ConnectionAction {
        guard case .connecting? = connections[id]?.state else { return .close }
        connectingCount -= 1
        expectedCapacity = max(capacity, 1)
        if isMultiplexed {
            multiplexed.insert(id)
            connections.update(id) { $0.capacity = capacity }
        }
        return offer(id, now: now)
    }

    /// Handles the return of a leased connection, which has served `uses` exchanges.
    mutating func released(_ id: ConnectionID, uses: Int = 0, now: MonotonicInstant) -> ConnectionAction {
        if drainingCount > 0, case .draining? = connections[id]?.state { drainingCount -= 1 }
        if !multiplexed.isEmpty, multiplexed.contains(id) { return releasedMultiplexed(id, now: now) }
        if isUsedUp(after: uses) || isTooOld(id, now: now) {
            connections[id] = nil
            return .close
        }
        return offer(id, now: now)
    }

    private mutating func offer(_ id: ConnectionID, now: MonotonicInstant) -> ConnectionAction {
        if let waiter = waiters.first?.id {
            guard connections.update(id, { $0.state = .leased }) else { return .close }
            if !multiplexed.isEmpty { noteLeased(id) }
            waiters.removeFirst()
            newConnectionWaiters.remove(waiter)
            return .lease(waiter)
        }
        guard !isClosed else {
            forget(id)
            return .close
        }
        guard connections.update(id, { $0.state = .idle(since: now) }) else { return .close }
        idle.append(id)
        return .keepIdle
    }

    /// Handles a failed attempt and returns the waiters that fail with it.
    ///
    /// If no other connection is leased or draining and no earlier attempt is running, all waiters from before the
    /// attempt fail. Otherwise only the first of them in the queue fails, which the attempt would have served, so that
    /// each failed attempt fails one waiter. Later attempts do not count, since with many waiters there is always one.
    /// With an attempt to prepare a connection, none fails: those that relied on it get another attempt.
    ///
    /// `isServedElsewhere`: Whether a connection of another origin serves this one too. Default: `false`.
    mutating func connectFailed(_ id: ConnectionID, isServedElsewhere: Bool = false) -> [WaiterID] {
        guard case .connecting(let lastWaiter)? = connections[id]?.state else { return [] }
        connections[id] = nil
        connectingCount -= 1
        let hasOthers = connections.contains { other, connection in
            switch connection.state {
            case .leased, .draining: connection.capacity > 0 && !connection.isRetired
            case .connecting: other < id
            case .idle: false
            }
        }
        let isLimited = hasOthers || isServedElsewhere
        let failed = Array(waiters.lazy.map(\.id).filter { $0 <= lastWaiter }.prefix(isLimited ? 1 : waiters.count))
        let gone = Set(failed)
        waiters.removeAll { gone.contains($0.id) }
        newConnectionWaiters.subtract(failed)
        return failed
    }

    /// Removes a connection that was closed or is about to be, or an attempt that is not needed any more.
    mutating func remove(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        forget(id)
        switch connection.state {
        case .connecting: connectingCount -= 1
        case .draining: drainingCount -= 1
        case .idle: idle.removeAll { $0 == id }
        case .leased: break
        }
    }

    /// Removes a cancelled waiter. Returns `false` if it was not waiting.
    mutating func withdraw(_ waiter: WaiterID) -> Bool {
        guard let index = waiters.firstIndex(where: { $0.id == waiter }) else { return false }
        waiters.remove(at: index)
        newConnectionWaiters.remove(waiter)
        return true
    }

    /// Removes and returns all waiters.
    mutating func withdrawAll() -> [WaiterID] {
        defer {
            waiters = []
            newConnectionWaiters = []
        }
        // Not Array(waiters): for an empty Deque it writes to the shared empty array, from several loops at once.
        return waiters.map(\.id)
    }

    /// Removes and returns the idle connections that have passed the idle timeout or the maximum age.
    mutating func expire(now: MonotonicInstant) -> [ConnectionID] {
        let expired = idle.filter { id in
            guard case .idle(let since)? = connections[id]?.state else { return true }
            return since.duration(to: now) >= idleTimeout || isTooOld(id, now: now)
        }
        for id in expired { forget(id) }
        idle.removeAll { expired.contains($0) }
        return expired
    }

    /// The earliest time at which `expire` has a connection to remove. `nil` if none is idle.
    var nextExpiry: MonotonicInstant? {
        idle.compactMap { id -> MonotonicInstant? in
            guard let connection = connections[id], case .idle(let since) = connection.state else { return nil }
            let byIdleness = since.advanced(by: idleTimeout)
            return maximumAge.map { min(byIdleness, connection.created.advanced(by: $0)) } ?? byIdleness
        }.min()
    }

    /// Removes and returns the connection that has been idle longest.
    mutating func evictOldestIdle() -> ConnectionID? {
        guard let id = idle.first else { return nil }
        remove(id)
        return id
    }

    /// The time since which the longest idle connection has been idle.
    var oldestIdle: MonotonicInstant? {
        guard let id = idle.first, case .idle(let since)? = connections[id]?.state else { return nil }
        return since
    }

    /// Closes the pool: removes the idle connections and all waiters, and allows no new connections.
    mutating func close() -> (idle: [ConnectionID], waiters: [WaiterID]) {
        isClosed = true
        let closing = idle
        for id in closing { forget(id) }
        idle = []
        return (closing, withdrawAll())
    }

    func isUsedUp(after uses: Int) -> Bool {
        guard let usesPerConnection else { return false }
        return uses >= usesPerConnection
    }

    func isTooOld(_ id: ConnectionID, now: MonotonicInstant) -> Bool {
        guard let maximumAge, let connection = connections[id] else { return false }
        return connection.created.duration(to: now) >= maximumAge
    }
}
