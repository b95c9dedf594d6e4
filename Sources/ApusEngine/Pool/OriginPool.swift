internal import ApusCore
internal import NIOCore

/// The connections of one route, on one event loop. Carries out the decisions of its state machine.
final class OriginPool {
    let route: Route
    unowned let engine: EventLoopEngine
    @exclusivity(unchecked) var machine: PoolStateMachine
    @exclusivity(unchecked) private(set) var connections = NumberedTable<any PooledConnection>()
    var waiting: [Int: Exchange] = [:]
    var attempts: [Int: Connector] = [:]
    /// Whether one of the attempts looks for a connection of another origin, without a permit.
    var isSearching = false
    /// The connection of another origin that serves this one too.
    var borrowed: BorrowedConnection?
    /// The pools of other origins that use a connection, by its number.
    var borrowers: [Int: [OriginPool]] = [:]
    private(set) var preparations: [Preparation] = []
    private var expiry: LoopTimer?
    private var waitCheck: LoopTimer?
    private var waitCheckDue = MonotonicInstant(nanoseconds: 0)
    private var isAwaitingPermit = false
    private var lastConnectError: ApusError?

    init(route: Route, engine: EventLoopEngine) {
        self.route = route
        self.engine = engine
        let limits = engine.shared.configuration.pool
        self.machine = PoolStateMachine(
            limit: limits.connectionsPerOrigin,
            idleTimeout: limits.idleTimeout,
            maximumAge: limits.maximumAge,
            usesPerConnection: limits.usesPerConnection,
            expectedCapacity: route.expectedCapacity
        )
    }

    // MARK: Exchanges

    /// Assigns a connection to the exchange, immediately or once one is free.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - requiresNewConnection: Whether its last connection was dead. Default: `false`.
    ///   - found: The addresses that were found on another loop, for an attempt that begins now. Default: `nil`.
    func serve(_ exchange: Exchange, requiresNewConnection: Bool = false, with found: FoundAddresses? = nil) {
        // A server that refuses a request again and again may serve it on a connection of its origin's own.
        if borrowed != nil, exchange.isLastResend { engine.stopCoalescing(route.origin) }
        if borrowed != nil, !requiresNewConnection, !machine.hasOrdinaryWaiters, useBorrowed(for: exchange) { return }
        let action = machine.acquire(
            exchange.number,
            priority: exchange.request.options.priority,
            requiresNewConnection: requiresNewConnection,
            now: engine.now
        )
        switch action {
        case .lease(let id, let closing):
            close(closing)
            guard let connection = connections[id] else { return exchange.fail(Self.lostConnection) }
            connection.begin(exchange, isReused: true)
        case .wait(let closing):
            exchange.wait(in: self)
            waiting[exchange.number] = exchange
            armWaitCheck(for: exchange.poolDeadline)
            // Closed last: closing frees permits, and a connection attempt started with one may fail immediately.
            close(closing)
            connectAsNeeded(with: found?.route == route ? found : nil)
        }
    }

    /// Removes a cancelled exchange from the queue.
    func withdraw(_ exchange: Exchange) {
        waiting[exchange.number] = nil
        guard machine.withdraw(exchange.number) else { return }
        retireIfUnused()
    }

    /// Returns a connection to the pool after its exchange.
    func release(_ connection: any PooledConnection) {
        // Even if requests wait here, an origin that has waited too long gets this connection's permit.
        if engine.shared.permits.isWanted, engine.shared.permits.isOverdue(now: engine.now) {
            guard connection.isMultiplexed else { return connection.close() }
            if machine.isUsedOnce(connection.id) { _ = machine.retire(connection.id) }
        }
        carryOut(machine.released(connection.id, uses: connection.exchangeCount, now: engine.now), connection)
        if !borrowers.isEmpty { lendSlots(on: connection.id) }
    }

    /// Changes how many exchanges a connection serves at a time. It gets no more if that is `nil`.
    func capacityChanged(_ connection: any PooledConnection, to capacity: Int?) {
        let isUnusable =
            if let capacity { machine.capacityChanged(connection.id, to: capacity) } else {
                machine.retire(connection.id)
            }
        if isUnusable { connection.close() }
        fill(connection)
        if !borrowers.isEmpty { lendSlots(on: connection.id) }
        connectAsNeeded()
    }

    /// Gives a connection that serves several exchanges those that wait.
    private func fill(_ connection: any PooledConnection) {
        while let waiter = machine.serveAnother(on: connection.id, now: engine.now) {
            guard let exchange = waiting.removeValue(forKey: waiter) else { continue }
            connection.begin(exchange, isReused: connection.exchangeCount > 0)
        }
    }

    /// Notes that a connection is draining the rest of its response and will soon be free.
    func drain(_ connection: any PooledConnection) { machine.drain(connection.id, uses: connection.exchangeCount) }

    /// Removes a closed connection.
    func connectionClosed(_ connection: any PooledConnection) {
        guard connections.removeValue(connection.id) != nil else { return }
        machine.remove(connection.id)
        engine.shared.permits.release()
        engine.shared.counters.remove(from: .connections)
        endLoans(of: connection.id)
        connectAsNeeded()
        retireIfUnused()
    }

    private func carryOut(_ action: PoolStateMachine.ConnectionAction, _ connection: any PooledConnection) {
        switch action {
        case .lease(let waiter):
            guard let exchange = waiting.removeValue(forKey: waiter) else { return connection.close() }
            connection.begin(exchange, isReused: connection.exchangeCount > 0)
        case .keepIdle where engine.shared.permits.isWanted:
            // Another origin waits for a permit, and found no idle connection to close when it asked.
            evictOldestIdle()
        case .keepIdle:
            armExpiry()
        case .stay:
            break
        case .close:
            connection.close()
        }
    }

    // MARK: Connections

    /// Begins the attempts that the waiters need, and waits for permits.
    ///
    /// - Parameters:
    ///   - found: The addresses that the first attempt begins with. Default: `nil`, it looks them up.
    ///   - hasSearched: Whether the pool has just looked for connections of other origins. Default: `false`.
    func connectAsNeeded(with found: FoundAddresses? = nil, hasSearched: Bool = false) {
        var found = found
        while machine.wantsConnection, !isAwaitingPermit {
            if !engine.shared.permits.acquireIfFree() {
                // A connection of another origin needs no permit, and must not be closed to make room.
                if isSearching { return }
                if !hasSearched, mayBorrow { return search(with: found) }
                guard acquirePermit() else { return }
            }
            connect(with: found)
            found = nil
        }
    }

    /// Takes a permit. If none is free, returns `false`, waits for one, and closes idle connections to make room.
    private func acquirePermit() -> Bool {
        let route = route
        let engine = engine.bound
        let isGranted = self.engine.shared.permits.acquire(now: self.engine.now) {
            engine.run { $0.permitGranted(to: route) }
        }
        guard !isGranted else { return true }
        isAwaitingPermit = true
        self.engine.shared.evictIdleConnection()
        return false
    }

    /// Handles a granted permit that the pool had waited for. Releases it if it is no longer needed.
    func permitGranted() {
        isAwaitingPermit = false
        guard machine.takesConnection else {
            engine.shared.permits.release()
            return retireIfUnused()
        }
        connect()
        connectAsNeeded()
    }

    private func connect(with found: FoundAddresses? = nil) {
        let id = engine.shared.nextConnectionID()
        machine.beginConnecting(id, now: engine.now)
        attempt(id, with: found) { [weak self] in self?.borrow(from: $0, $1) ?? false }
    }

    /// Opens connections in advance until `count` are idle or being opened, within the limits. Waits until they are
    /// idle, but neither for a permit nor for a connection that is in use, and closes no idle one of another pool.
    ///
    /// - Parameters:
    ///   - count: The number of idle connections that are wanted.
    ///   - completion: Called once, with the number of idle connections.
    func prepare(_ count: Int, completion: @escaping (Result<Int, ApusError>) -> Void) {
        let preparation = Preparation(count: count, attempts: attempts.keys, completion: completion)
        preparations.append(preparation)
        beginAttempts(for: preparation)
        // The pool may be retired by now, and must not be used then.
        if preparation.isOver { return }
        concludePreparations()
        retireIfUnused()
    }

    func beginAttempts(for preparation: Preparation) {
        for _ in 0..<machine.missingConnections(for: preparation.count) {
            guard engine.shared.permits.acquireIfFree() else { break }
            let id = engine.shared.nextConnectionID()
            preparation.begin(id)
            machine.beginPreparing(id, now: engine.now)
            attempt(id)
            if preparation.isOver { return }
        }
    }

    func attemptEnded(_ id: Int, _ error: ApusError? = nil, isConnected: Bool = true) {
        guard !preparations.isEmpty else { return }
        for preparation in preparations { preparation.end(id, error, isConnected: isConnected) }
        concludePreparations()
    }

    private func concludePreparations() {
        let refusal = machine.isClosed ? CancelReason.sessionShutDown.error : nil
        for preparation in preparations {
            preparation.conclude(idle: machine.idleCount, isEnough: machine.hasFreeSlot, refusal: refusal)
        }
        preparations.removeAll(where: \.isOver)
    }

    private func attempt(
        _ id: Int,
        with found: FoundAddresses? = nil,
        borrowing borrow: CoalescingStage.Borrow? = nil
    ) {
        engine.shared.counters.add(to: .connections)
        let connector = Connector(id: id, route: route, engine: engine, borrow: borrow, found: found)
        attempts[id] = connector
        connector.start { [weak self] result in
            guard let self else {
                if case .success(.connection(let connection)) = result { connection.close() }
                return
            }
            self.attempts[id] = nil
            switch result {
            case .success(.connection(let connection)): self.connected(connection)
            case .success(.coalesced), .success(.notCoalesced): self.attemptAbandoned(id)
            case .failure(let error): self.connectFailed(id, error)
            }
        }
    }

    private func connected(_ connection: any PooledConnection) {
        connections[connection.id] = connection
        connection.pool = self
        let isKnown = machine.expectedCapacity == 1
        let action = machine.connected(
            connection.id,
            capacity: connection.isMultiplexed ? machine.firstCapacity(of: connection.capacity) : 1,
            isMultiplexed: connection.isMultiplexed,
            now: engine.now
        )
        carryOut(action, connection)
        if connection.isMultiplexed {
            fill(connection)
            connection.flush()
        }
        // One attempt was enough for a multiplexed connection.
        if !isKnown { for preparation in preparations where !preparation.isOver { beginAttempts(for: preparation) } }
        attemptEnded(connection.id)
        connectAsNeeded()
    }

    private func connectFailed(_ id: Int, _ error: ApusError) {
        engine.shared.permits.release()
        engine.shared.counters.remove(from: .connections)
        attemptFailed(id, error)
    }

    /// Fails the waiters of an attempt that holds no permit any more, or has never held one.
    func attemptFailed(_ id: Int, _ error: ApusError) {
        lastConnectError = error
        for waiter in machine.connectFailed(id, isServedElsewhere: borrowed != nil) {
            waiting.removeValue(forKey: waiter)?.fail(error)
        }
        attemptEnded(id, error)
        connectAsNeeded()
        retireIfUnused()
    }

    private func close(_ ids: [Int]) {
        for id in ids { connections[id]?.close() }
    }

    /// Closes the connection that has been idle longest.
    func evictOldestIdle() {
        if let id = machine.evictOldestIdle() { connections[id]?.close() }
    }

    var oldestIdle: MonotonicInstant? { machine.oldestIdle }

    /// Fails all waiters and accepts no more. Running exchanges finish if `gracefully`, otherwise they are aborted.
    func shutDown(gracefully: Bool) {
        let (idle, waiters) = machine.close()
        for waiter in waiters { waiting.removeValue(forKey: waiter)?.fail(CancelReason.sessionShutDown.error) }
        close(idle)
        for attempt in attempts.values { attempt.cancel() }
        if !gracefully {
            for connection in connections.values { connection.abort(CancelReason.sessionShutDown.error) }
        }
        retireIfUnused()
    }

    func retireIfUnused() {
        guard machine.isUnused, connections.isEmpty, attempts.isEmpty, preparations.isEmpty, borrowed == nil else {
            return
        }
        expiry?.cancel()
        expiry = nil
        waitCheck?.cancel()
        waitCheck = nil
        if !isAwaitingPermit { engine.retire(self) }
    }

    // MARK: Timeouts

    /// Sets the one timer for all idle connections. It is not moved once set: connections that become idle later expire
    /// later, and connections past the maximum age are found when picked.
    private func armExpiry() {
        guard expiry == nil, let next = machine.nextExpiry else { return }
        expiry = LoopTimer(on: engine, at: next) { [weak self] in
            guard let self else { return }
            self.expiry = nil
            self.close(self.machine.expire(now: self.engine.now))
            self.armExpiry()
        }
    }

    /// Sets the one timer for all waiters, for the earliest pool deadline.
    private func armWaitCheck(for next: MonotonicInstant?) {
        guard let next else { return }
        if waitCheck != nil, waitCheckDue <= next { return }
        waitCheck?.cancel()
        waitCheckDue = next
        waitCheck = LoopTimer(on: engine, at: next) { [weak self] in
            guard let self else { return }
            self.waitCheck = nil
            self.failOverdue()
            self.armWaitCheck(for: self.waiting.values.compactMap(\.poolDeadline).min())
        }
    }

    private func failOverdue() {
        let now = engine.now
        for exchange in waiting.values.filter({ $0.poolDeadline.map { $0 <= now } ?? false }) {
            waiting[exchange.number] = nil
            guard machine.withdraw(exchange.number) else { continue }
            let waited = exchange.timeouts.poolWait?.formatted ?? ""
            let cause = lastConnectError.map { "; the last attempt to connect failed: \($0.detail)" }
            let count = connections.count
            let state =
                count == 0
                ? "no connection to \(route.origin) was made within \(waited)"
                : "none of the \(count) connections to \(route.origin) was free for \(waited)"
            exchange.fail(
                ApusError(
                    .poolTimeout,
                    "\(state)\(cause ?? "")",
                    hint: cause == nil ? waitHint : nil,
                    underlying: lastConnectError
                )
            )
        }
        retireIfUnused()
    }

    /// The remedy for a wait that was too long. While the pool waits for a permit, the limit is that of the session.
    private var waitHint: String {
        if connections.isEmpty, !isAwaitingPermit { return "raise timeouts.poolWait" }
        let limit = isAwaitingPermit ? "pool.connectionsTotal" : "pool.connectionsPerOrigin"
        return "raise \(limit) or timeouts.poolWait, and read or release streamed responses"
    }

    private static var lostConnection: ApusError {
        ApusError(.connectionClosed, "the connection closed before it was used")
    }
}

extension NIODeadline {
    init(_ instant: MonotonicInstant) {
        self = .uptimeNanoseconds(instant.nanoseconds)
    }
}

extension TimeAmount {
    init(_ duration: Duration) {
        self = .nanoseconds(duration.wholeNanoseconds)
    }
}
