internal import ApusCore
internal import DequeModule

/// Connections that serve several requests at a time.
extension PoolStateMachine {
    /// Whether a multiplexed connection has a free slot.
    var hasFreeSlot: Bool { !isClosed && (!withFreeSlots.isEmpty || idle.contains { multiplexed.contains($0) }) }

    /// Whether a request waits that may get any connection, and not just a new one.
    var hasOrdinaryWaiters: Bool { waiters.count > newConnectionWaiters.count }

    /// The next of these requests.
    var firstOrdinaryWaiter: WaiterID? { hasOrdinaryWaiters ? waiters[newConnectionWaiters.count].id : nil }

    /// Whether a connection serves several requests at a time.
    func isMultiplexed(_ id: ConnectionID) -> Bool { !multiplexed.isEmpty && multiplexed.contains(id) }

    /// Whether a multiplexed connection has a single request.
    func isUsedOnce(_ id: ConnectionID) -> Bool { connections[id]?.used == 1 }

    /// Returns the capacity that a new connection is used with until its server has announced one: no more than the last
    /// connection had.
    func firstCapacity(of assumed: Int) -> Int {
        guard let expectedCapacity else { return assumed }
        return min(assumed, expectedCapacity)
    }

    /// Takes a slot on a leased connection that has a free one. Retires those that are too old.
    mutating func takeSlot(now: MonotonicInstant) -> ConnectionID? {
        while !isClosed, let id = withFreeSlots.last {
            guard !isTooOld(id, now: now) else {
                retireInUse(id)
                continue
            }
            use(id)
            return id
        }
        return nil
    }

    /// Takes a slot on a multiplexed connection for a request of another origin. Returns `false` if none is free, or
    /// if requests of its own origin wait.
    mutating func takeSlot(on id: ConnectionID, now: MonotonicInstant) -> Bool {
        guard !isClosed, waiters.isEmpty, isMultiplexed(id), connections[id]?.hasFreeSlot == true else { return false }
        switch connections[id]?.state {
        case .leased? where !isTooOld(id, now: now):
            use(id)
            return true
        case .idle? where !isTooOld(id, now: now):
            idle.removeAll { $0 == id }
            connections.update(id) { $0.state = .leased }
            use(id)
            return true
        default:
            return false
        }
    }

    /// Returns the next waiter if the connection has a free slot, and gives it the slot.
    mutating func serveAnother(on id: ConnectionID, now: MonotonicInstant) -> WaiterID? {
        guard let waiter = waiters.first?.id, multiplexed.contains(id), connections[id]?.hasFreeSlot == true,
            case .leased? = connections[id]?.state
        else { return nil }
        guard !isTooOld(id, now: now) else {
            retireInUse(id)
            return nil
        }
        use(id)
        waiters.removeFirst()
        newConnectionWaiters.remove(waiter)
        return waiter
    }

    /// Counts the request that a multiplexed connection was leased to.
    mutating func noteLeased(_ id: ConnectionID) {
        guard multiplexed.contains(id) else { return }
        use(id)
    }

    private mutating func use(_ id: ConnectionID) {
        connections.update(id) { connection in
            connection.used += 1
            connection.uses += 1
        }
        // After its last request it takes no other.
        if let uses = connections[id]?.uses, isUsedUp(after: uses) { connections.update(id) { $0.isRetired = true } }
        noteFreeSlots(of: id)
    }

    /// Puts the connection in the list of those with free slots, or removes it from there.
    private mutating func noteFreeSlots(of id: ConnectionID) {
        let hasFreeSlot =
            if !isClosed, let connection = connections[id], case .leased = connection.state {
                connection.hasFreeSlot
            } else {
                false
            }
        switch (hasFreeSlot, withFreeSlots.lastIndex(of: id)) {
        case (true, nil): withFreeSlots.append(id)
        case (false, let index?): withFreeSlots.remove(at: index)
        default: break
        }
    }

    /// Handles the end of a request on a multiplexed connection.
    mutating func releasedMultiplexed(_ id: ConnectionID, now: MonotonicInstant) -> ConnectionAction {
        guard case .leased? = connections[id]?.state else { return .stay }
        connections.update(id) { $0.used = max($0.used - 1, 0) }
        if isTooOld(id, now: now) { connections.update(id) { $0.isRetired = true } }
        if let waiter = serveAnother(on: id, now: now) { return .lease(waiter) }
        guard let connection = connections[id], connection.used == 0 else {
            noteFreeSlots(of: id)
            return .stay
        }
        guard connection.hasFreeSlot, !isClosed else {
            forget(id)
            return .close
        }
        withFreeSlots.removeAll { $0 == id }
        connections.update(id) { $0.state = .idle(since: now) }
        idle.append(id)
        return .keepIdle
    }

    /// Changes the capacity of a multiplexed connection. Returns whether it has to be closed, because it has no request
    /// and takes none. Otherwise the caller then calls `serveAnother`.
    mutating func capacityChanged(_ id: ConnectionID, to capacity: Int) -> Bool {
        guard multiplexed.contains(id), connections.update(id, { $0.capacity = max(capacity, 0) }) else { return false }
        if capacity > 0 { expectedCapacity = capacity }
        return closeIfUnusable(id)
    }

    /// Gives a multiplexed connection no more requests. Returns whether it has to be closed, because it has none.
    mutating func retire(_ id: ConnectionID) -> Bool {
        guard multiplexed.contains(id), connections.update(id, { $0.isRetired = true }) else { return false }
        return closeIfUnusable(id)
    }

    private mutating func retireInUse(_ id: ConnectionID) {
        connections.update(id) { $0.isRetired = true }
        noteFreeSlots(of: id)
    }

    private mutating func closeIfUnusable(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id], connection.used == 0, !connection.hasFreeSlot else {
            noteFreeSlots(of: id)
            return false
        }
        remove(id)
        return true
    }

    /// Removes a connection from the table and from the lists of multiplexed ones.
    mutating func forget(_ id: ConnectionID) {
        connections[id] = nil
        guard !multiplexed.isEmpty, multiplexed.remove(id) != nil else { return }
        withFreeSlots.removeAll { $0 == id }
    }
}
