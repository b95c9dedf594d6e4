internal import ApusCore

/// A connection of another origin that serves a pool's origin too. RFC 9113 §9.1.1.
///
/// A class, so that each request can check for one at the cost of a null pointer.
final class BorrowedConnection {
    weak var lender: OriginPool?
    let id: Int

    init(lender: OriginPool, id: Int) {
        self.lender = lender
        self.id = id
    }
}

/// Connections that serve several origins. The pool that has opened one lends it to the pools of other origins, which use
/// it while it has a free slot, and open connections of their own otherwise.
extension OriginPool {
    /// The maximum number of origins that remember a connection. Others look it up again.
    private static let maximumBorrowers = 1000

    /// Begins an exchange on the borrowed connection. Returns `false` if there is none, it has no free slot,
    /// or the origin has a connection of its own with one.
    func useBorrowed(for exchange: Exchange) -> Bool {
        guard let borrowed, !machine.hasFreeSlot, let connection = borrowed.lender?.takeSlot(on: borrowed.id) else {
            return false
        }
        connection.begin(exchange, isReused: true)
        return true
    }

    /// Lets the borrowers of a connection that has become free use it.
    func lendSlots(on id: Int) {
        for borrower in borrowers[id] ?? [] where borrower.machine.hasOrdinaryWaiters {
            borrower.serveWaiters(on: id, of: self)
        }
    }

    /// Takes a slot on a connection for an exchange of another origin.
    private func takeSlot(on id: Int) -> (any PooledConnection)? {
        guard let connection = connections[id], machine.takeSlot(on: id, now: engine.now) else { return nil }
        return connection
    }

    /// Whether a connection of another origin may serve the waiters, as far as that is known without a lookup.
    var mayBorrow: Bool {
        guard route.proxy == nil, preparations.isEmpty, machine.hasOrdinaryWaiters, engine.mayCoalesce(route.origin),
            let security = route.security,
            let host = Endpoint(host: route.origin.host, port: route.origin.port).serverName
        else { return false }
        return engine.shared.coalescable.mayServe(host, security: security, excluding: route)
    }

    /// Looks for connections of other origins that serve the waiters. If waiters are left, the pool waits for a permit.
    ///
    /// An attempt that opens no connection, so it takes no permit. Its lookup is bounded by the resolver.
    ///
    /// - Parameter found: The addresses of the host. `nil` to look them up.
    func search(with found: FoundAddresses?) {
        let id = engine.shared.nextConnectionID()
        machine.beginConnecting(id, now: engine.now)
        isSearching = true
        let connector = Connector(
            id: id,
            route: route,
            engine: engine,
            borrow: { [weak self] in self?.borrow(from: $0, $1) ?? false },
            found: found,
            isSearch: true
        )
        attempts[id] = connector
        connector.start { [weak self] in self?.searched(id, $0) }
    }

    private func searched(_ id: Int, _ result: Result<Connector.Outcome, ApusError>) {
        attempts[id] = nil
        isSearching = false
        // With a connection, or another attempt, the requests do not depend on the search.
        let isOnlyHope = connections.isEmpty && attempts.isEmpty && borrowed == nil
        if case .failure(let error) = result, isOnlyHope { return attemptFailed(id, error) }
        machine.remove(id)
        // A preparation that has relied on the search opens its connection now.
        for preparation in preparations where !preparation.isOver { beginAttempts(for: preparation) }
        attemptEnded(id, isConnected: false)
        connectAsNeeded(hasSearched: true)
        retireIfUnused()
    }

    /// Uses connections of other origins for the waiters. Returns `true` if no waiter is left, or all have moved to
    /// another loop, with the addresses of the origin.
    func borrow(from entries: [CoalescableConnections.Entry], _ found: FoundAddresses) -> Bool {
        // A preparation wants a connection of its own.
        guard engine.mayCoalesce(route.origin), preparations.isEmpty else { return false }
        for entry in entries where entry.engineLoop === engine.bound {
            if let lender = engine.lender(of: entry) { serveWaiters(on: entry.connection, of: lender) }
            if waiting.isEmpty { return true }
        }
        // A request whose connection was dead needs a new one.
        guard connections.isEmpty, borrowed == nil, machine.newConnectionWaiters.isEmpty,
            let entry = entries.first(where: { $0.engineLoop !== engine.bound })
        else { return false }
        return moveWaiters(to: entry.engineLoop, with: found)
    }

    /// Ends an attempt whose waiters were served by connections of other origins.
    func attemptAbandoned(_ id: Int) {
        machine.remove(id)
        engine.shared.counters.remove(from: .connections)
        engine.shared.permits.release()
        attemptEnded(id, isConnected: false)
        connectAsNeeded()
        retireIfUnused()
    }

    private func serveWaiters(on id: Int, of lender: OriginPool) {
        while let waiter = machine.firstOrdinaryWaiter, let connection = lender.takeSlot(on: id) {
            borrow(id, of: lender)
            _ = machine.withdraw(waiter)
            guard let exchange = waiting.removeValue(forKey: waiter) else { return lender.release(connection) }
            connection.begin(exchange, isReused: true)
        }
    }

    /// Uses a connection for later requests too. There is one such connection at a time.
    private func borrow(_ id: Int, of lender: OriginPool) {
        guard borrowed?.id != id, lender.borrowers[id]?.count ?? 0 < Self.maximumBorrowers else { return }
        endBorrowing()
        lender.borrowers[id, default: []].append(self)
        borrowed = BorrowedConnection(lender: lender, id: id)
    }

    /// Moves the origin to the loop of a connection that serves it.
    private func moveWaiters(to engineLoop: EngineLoop, with found: FoundAddresses) -> Bool {
        guard engine.shared.movedOrigins.move(route.origin, to: engineLoop) else { return false }
        for waiter in machine.withdrawAll() { waiting.removeValue(forKey: waiter)?.move(to: engineLoop, with: found) }
        return true
    }

    private func endBorrowing() {
        guard let borrowed else { return }
        self.borrowed = nil
        borrowed.lender?.borrowers[borrowed.id]?.removeAll { $0 === self }
    }

    /// Uses no connection of another origin any more.
    func stopBorrowing() {
        endBorrowing()
        retireIfUnused()
    }

    /// Notifies the borrowers of a connection that it has closed.
    func endLoans(of id: Int) {
        for borrower in borrowers.removeValue(forKey: id) ?? [] { borrower.stopBorrowing() }
    }
}
