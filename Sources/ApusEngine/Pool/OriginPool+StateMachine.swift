internal import ApusCore
internal import DequeModule

/// The connections to one origin and those who wait for one: leases of a capacity, one for HTTP/1.1.
///
/// ```
///   connection   connecting → leased ⇄ idle → gone        (an attempt that failed: connecting → gone)
///                  leased → draining → leased | idle      (the rest of a response is read for nobody)
///   waiter       waiting → leased | failed | withdrawn    first come, first served
/// ```
///
/// There are never more attempts under way than waiters they could serve, and a connection that drains serves one of
/// them: what follows a redirect or a challenge comes right after it, and is to go on the same connection.
struct PoolStateMachine {
    /// Grows with each connection.
    typealias ConnectionID = Int
    typealias WaiterID = Int

    private struct Connection {
        var state: State
        var created: MonotonicInstant

        enum State {
            /// Waiters up to this one were there when the attempt began.
            case connecting(lastWaiter: WaiterID)
            case idle(since: MonotonicInstant)
            case leased
            case draining
        }
    }

    private let limit: Int
    private let idleTimeout: Duration
    private let maximumAge: Duration?
    private var connections = NumberedTable<Connection>()
    /// The unused ones, the one that was used last at the end.
    private var idle: [ConnectionID] = []
    private var waiters = Deque<WaiterID>()
    /// Those of the waiters, at their front, that take no connection which was idle.
    private var freshWaiters: Set<WaiterID> = []
    private var connectingCount = 0
    private var drainingCount = 0
    private var isClosed = false

    init(limit: Int, idleTimeout: Duration, maximumAge: Duration?) {
        self.limit = max(limit, 1)
        self.idleTimeout = idleTimeout
        self.maximumAge = maximumAge
    }

    var isUnused: Bool { connections.isEmpty && waiters.isEmpty }
    var connectionCount: Int { connections.count }
    var idleCount: Int { idle.count }
    var waiterCount: Int { waiters.count }

    enum AcquireAction: Equatable {
        case lease(ConnectionID, closing: [ConnectionID])
        case wait(connect: Bool, closing: [ConnectionID])
    }

    /// Asks for a connection.
    ///
    /// - Parameters:
    ///   - waiter: Who asks.
    ///   - fresh: The waiter's last connection was dead: it goes to the front, and idle ones, of the same age, are not
    ///     trusted with it.
    ///   - now: The time.
    /// - Returns: What it got, and the idle connections that are to be closed.
    mutating func acquire(_ waiter: WaiterID, fresh: Bool = false, now: MonotonicInstant) -> AcquireAction {
        var closing: [ConnectionID] = []
        if fresh {
            waiters.prepend(waiter)
            freshWaiters.insert(waiter)
            if connections.count >= limit, let oldest = idle.first {
                remove(oldest)
                closing.append(oldest)
            }
            return .wait(connect: wantsConnection, closing: closing)
        }
        // Who waits for a fresh connection is not overtaken by who takes an idle one.
        while waiters.count == freshWaiters.count, let id = idle.popLast() {
            guard isTooOld(id, now: now) else {
                connections.update(id) { $0.state = .leased }
                return .lease(id, closing: closing)
            }
            connections[id] = nil
            closing.append(id)
        }
        waiters.append(waiter)
        return .wait(connect: wantsConnection, closing: closing)
    }

    /// Whether another connection would be of use and is allowed.
    ///
    /// A waiter relies on a connection that drains, unless it waits for a fresh one.
    var wantsConnection: Bool {
        let drained = drainingCount == 0 ? 0 : min(drainingCount, waiters.count - freshWaiters.count)
        return !isClosed && connectingCount + drained < waiters.count && connections.count < limit
    }

    /// The same where the room for it is there already: then nobody relies on a connection that drains.
    var takesConnection: Bool { !isClosed && connectingCount < waiters.count && connections.count < limit }

    /// An attempt to connect begins.
    mutating func beginConnecting(_ id: ConnectionID, now: MonotonicInstant) {
        connections[id] = Connection(state: .connecting(lastWaiter: waiters.max() ?? 0), created: now)
        connectingCount += 1
    }

    /// The rest of a response is read for nobody, and soon.
    mutating func drain(_ id: ConnectionID) {
        guard case .leased? = connections[id]?.state else { return }
        connections.update(id) { $0.state = .draining }
        drainingCount += 1
    }

    enum ConnectionAction: Equatable {
        case lease(WaiterID)
        case park
        case close
    }

    /// An attempt succeeded.
    mutating func connected(_ id: ConnectionID, now: MonotonicInstant) -> ConnectionAction {
        guard case .connecting? = connections[id]?.state else { return .close }
        connectingCount -= 1
        return offer(id, now: now)
    }

    /// A lease came back.
    mutating func released(_ id: ConnectionID, now: MonotonicInstant) -> ConnectionAction {
        if drainingCount > 0, case .draining? = connections[id]?.state { drainingCount -= 1 }
        if isTooOld(id, now: now) {
            connections[id] = nil
            return .close
        }
        return offer(id, now: now)
    }

    private mutating func offer(_ id: ConnectionID, now: MonotonicInstant) -> ConnectionAction {
        if let waiter = waiters.first {
            guard connections.update(id, { $0.state = .leased }) else { return .close }
            waiters.removeFirst()
            freshWaiters.remove(waiter)
            return .lease(waiter)
        }
        guard !isClosed else {
            connections[id] = nil
            return .close
        }
        guard connections.update(id, { $0.state = .idle(since: now) }) else { return .close }
        idle.append(id)
        return .park
    }

    /// An attempt failed: so do those who waited when it began, where no other connection could serve them: none that
    /// is leased or drains, and none that was begun before. Else the first of them alone, so that every failed attempt is
    /// somebody's.
    ///
    /// An attempt that was begun later does not count: with many waiters there is always one.
    mutating func connectFailed(_ id: ConnectionID) -> [WaiterID] {
        guard case .connecting(let lastWaiter)? = connections.removeValue(id)?.state else { return [] }
        connectingCount -= 1
        let hasOthers = connections.contains { other, connection in
            switch connection.state {
            case .leased, .draining: true
            case .connecting: other < id
            case .idle: false
            }
        }
        let failed = Array(waiters.lazy.filter { $0 <= lastWaiter }.prefix(hasOthers ? 1 : waiters.count))
        waiters.removeAll { failed.contains($0) }
        freshWaiters.subtract(failed)
        return failed
    }

    /// A connection is gone, or was taken out for good.
    mutating func remove(_ id: ConnectionID) {
        guard let connection = connections.removeValue(id) else { return }
        switch connection.state {
        case .connecting: connectingCount -= 1
        case .draining: drainingCount -= 1
        case .idle: idle.removeAll { $0 == id }
        case .leased: break
        }
    }

    /// A waiter gave up; `false` where it does not wait any more.
    mutating func withdraw(_ waiter: WaiterID) -> Bool {
        guard let index = waiters.firstIndex(of: waiter) else { return false }
        waiters.remove(at: index)
        freshWaiters.remove(waiter)
        return true
    }

    /// Takes out what has been idle for too long or grown too old.
    mutating func expire(now: MonotonicInstant) -> [ConnectionID] {
        let expired = idle.filter { id in
            guard case .idle(let since)? = connections[id]?.state else { return true }
            return since.duration(to: now) >= idleTimeout || isTooOld(id, now: now)
        }
        for id in expired { connections[id] = nil }
        idle.removeAll { expired.contains($0) }
        return expired
    }

    /// When `expire` will have something to do; `nil` while nothing is idle.
    var nextExpiry: MonotonicInstant? {
        idle.compactMap { id -> MonotonicInstant? in
            guard let connection = connections[id], case .idle(let since) = connection.state else { return nil }
            let byIdleness = since.advanced(by: idleTimeout)
            return maximumAge.map { min(byIdleness, connection.created.advanced(by: $0)) } ?? byIdleness
        }.min()
    }

    /// Takes out the connection that has been idle for the longest time, and says since when it is.
    mutating func evictOldestIdle() -> ConnectionID? {
        guard let id = idle.first else { return nil }
        remove(id)
        return id
    }

    /// When the connection that has been idle for the longest time became so.
    var oldestIdle: MonotonicInstant? {
        guard let id = idle.first, case .idle(let since)? = connections[id]?.state else { return nil }
        return since
    }

    /// No new connections from now on; what is idle is taken out, those who wait are given up.
    mutating func close() -> (idle: [ConnectionID], waiters: [WaiterID]) {
        isClosed = true
        let closing = idle
        for id in closing { connections[id] = nil }
        defer {
            idle = []
            waiters = []
            freshWaiters = []
        }
        // Not Array(waiters): made of an empty Deque it writes to the storage that all empty arrays share, on all loops.
        return (closing, waiters.map(\.self))
    }

    private func isTooOld(_ id: ConnectionID, now: MonotonicInstant) -> Bool {
        guard let maximumAge, let connection = connections[id] else { return false }
        return connection.created.duration(to: now) >= maximumAge
    }
}
