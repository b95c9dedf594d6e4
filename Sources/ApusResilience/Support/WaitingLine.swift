internal import DequeModule

/// A line of waiters, first come, first served, which anyone may leave at any place without the others being looked at.
struct WaitingLine<Turn: Sendable>: Sendable {
    /// In the order of their coming, with those who have left and were not passed over yet.
    private var order = Deque<Waiter<Turn>>()
    /// Those who wait. Who has left is kept alive by `order`, so that no other can be taken for it.
    private var waiting: Set<ObjectIdentifier> = []

    var count: Int { waiting.count }

    mutating func append(_ waiter: Waiter<Turn>) {
        order.append(waiter)
        waiting.insert(ObjectIdentifier(waiter))
    }

    /// Takes the first out.
    mutating func popFirst() -> Waiter<Turn>? {
        while let next = order.popFirst() {
            if waiting.remove(ObjectIdentifier(next)) != nil { return next }
        }
        return nil
    }

    /// Takes one out; `false` where it is not in the line.
    mutating func withdraw(_ waiter: Waiter<Turn>) -> Bool {
        guard waiting.remove(ObjectIdentifier(waiter)) != nil else { return false }
        // Looked through when half of it has left, so that each departure pays for a few places.
        if order.count > 2 * waiting.count + Self.slack {
            order.removeAll { !waiting.contains(ObjectIdentifier($0)) }
        }
        return true
    }

    /// Takes all of them out, in their order.
    mutating func removeAll() -> [Waiter<Turn>] {
        defer { self = WaitingLine() }
        return order.filter { waiting.contains(ObjectIdentifier($0)) }
    }

    private static var slack: Int { 16 }
}
