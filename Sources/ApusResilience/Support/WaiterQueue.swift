internal import DequeModule

/// A first-come, first-served queue of waiters. Any waiter can be removed without a search.
struct WaiterQueue<Turn: Sendable>: Sendable {
    /// The waiters in order of arrival, including withdrawn ones that have not been skipped yet.
    private var order = Deque<Waiter<Turn>>()
    /// The waiters in the queue. `order` keeps withdrawn ones alive, so that their identifiers are not reused.
    private var waiting: Set<ObjectIdentifier> = []

    var count: Int { waiting.count }

    mutating func append(_ waiter: Waiter<Turn>) {
        order.append(waiter)
        waiting.insert(ObjectIdentifier(waiter))
    }

    /// Removes and returns the first waiter.
    mutating func popFirst() -> Waiter<Turn>? {
        while let next = order.popFirst() {
            if waiting.remove(ObjectIdentifier(next)) != nil { return next }
        }
        return nil
    }

    /// Removes a waiter. Returns `false` if it is not in the queue.
    mutating func withdraw(_ waiter: Waiter<Turn>) -> Bool {
        guard waiting.remove(ObjectIdentifier(waiter)) != nil else { return false }
        // Compact only when more than half has been withdrawn, so that the cost per withdrawal stays constant.
        if order.count > 2 * waiting.count + Self.slack {
            order.removeAll { !waiting.contains(ObjectIdentifier($0)) }
        }
        return true
    }

    /// Removes and returns all waiters, in order.
    mutating func removeAll() -> [Waiter<Turn>] {
        defer { self = WaiterQueue() }
        return order.filter { waiting.contains(ObjectIdentifier($0)) }
    }

    private static var slack: Int { 16 }
}
