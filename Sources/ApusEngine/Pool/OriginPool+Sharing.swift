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
/// it while it has room, and open connections of their own otherwise.
extension OriginPool {
    /// The maximum number of origins that remember a connection. Others look it up again.
    private static let maximumBorrowers = 1000

    /// Begins an exchange on the borrowed connection. Returns `false` if there is none, it has no room, or
    /// the origin has a connection of its own with room.
    func useBorrowed(for exchange: Exchange) -> Bool {
        guard let borrowed, !machine.hasRoom, let connection = borrowed.lender?.place(on: borrowed.id) else {
            return false
        }
        connection.begin(exchange, isReused: true)
        return true
    }

    /// Takes a place on a connection for an exchange of another origin.
    private func place(on id: Int) -> (any PooledConnection)? {
        guard let connection = connections[id], machine.takePlace(on: id, now: engine.now) else { return nil }
        return connection
    }

    /// Uses connections of other origins for the waiters. Returns whether that was enough, so that none has to be opened.
    func borrow(from entries: [ConnectionDirectory.Entry]) -> Bool {
        // A request whose connection was dead needs a new one, and a preparation wants its own.
        guard engine.mayShare(route.origin), machine.newConnectionWaiters.isEmpty, preparations.isEmpty else {
            return false
        }
        for entry in entries where entry.engineLoop === engine.bound {
            serveWaiters(on: entry)
            if waiting.isEmpty { return true }
        }
        guard connections.isEmpty, borrowed == nil, let entry = entries.first(where: { $0.engineLoop !== engine.bound })
        else { return false }
        return moveWaiters(to: entry.engineLoop)
    }

    /// Ends an attempt whose waiters were served by connections of other origins.
    func attemptAbandoned(_ id: Int) {
        machine.attemptAbandoned(id)
        engine.shared.counters.remove(from: .connections)
        engine.shared.permits.release()
        attemptEnded(id)
        connectAsNeeded()
        retireIfUnused()
    }

    private func serveWaiters(on entry: ConnectionDirectory.Entry) {
        guard let lender = engine.lender(of: entry) else { return }
        while let waiter = machine.waiters.first?.id, let connection = lender.place(on: entry.connection) {
            borrow(entry.connection, of: lender)
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
    private func moveWaiters(to engineLoop: EngineLoop) -> Bool {
        guard engine.shared.homes.move(route.origin, to: engineLoop) else { return false }
        for waiter in machine.withdrawAll() { waiting.removeValue(forKey: waiter)?.move(to: engineLoop) }
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

    /// Takes a closed connection back from the pools that have borrowed it.
    func endLoans(of id: Int) {
        for borrower in borrowers.removeValue(forKey: id) ?? [] { borrower.stopBorrowing() }
    }
}
