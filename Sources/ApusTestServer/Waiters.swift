/// Tasks and callbacks that wait for a condition on a value.
///
/// A plain value, protected by the lock of its owner. Its functions return the waiters to resume, so that the owner
/// calls them outside the lock.
struct Waiters<Value: Sendable>: Sendable {
    struct Waiter: Sendable {
        let isMet: @Sendable (Value) -> Bool
        let resume: @Sendable () -> Void
    }

    private var entries: [Int: Waiter] = [:]
    private var nextToken = 0

    mutating func makeToken() -> Int {
        nextToken += 1
        return nextToken
    }

    mutating func add(_ waiter: Waiter, token: Int) {
        entries[token] = waiter
    }

    mutating func remove(_ token: Int) -> Waiter? {
        entries.removeValue(forKey: token)
    }

    /// Removes and returns the waiters whose condition is met, the longest waiting first.
    mutating func takeMet(by value: Value) -> [Waiter] {
        guard !entries.isEmpty else { return [] }
        return take { $0.isMet(value) }
    }

    mutating func takeAll() -> [Waiter] {
        take { _ in true }
    }

    private mutating func take(_ isWanted: (Waiter) -> Bool) -> [Waiter] {
        var taken: [Waiter] = []
        for token in entries.keys.sorted() {
            guard let waiter = entries[token], isWanted(waiter) else { continue }
            entries.removeValue(forKey: token)
            taken.append(waiter)
        }
        return taken
    }
}
