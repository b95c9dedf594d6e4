/// What is known of a bounded number of keys: beyond it, what was not used for the longest is forgotten.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var lastUse: UInt64
    }

    private let limit: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    var count: Int { entries.count }

    /// The value of a key, which does not count as a use.
    func value(of key: Key) -> Value? { entries[key]?.value }

    /// Changes the value of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - make: The value of a key that is not known.
    ///   - isNeeded: Whether a value can't be forgotten now; where all are, there is one more than the limit.
    ///   - change: Changes the value.
    /// - Returns: What `change` returns.
    mutating func update<Result>(
        _ key: Key,
        default make: @autoclosure () -> Value,
        keeping isNeeded: (Value) -> Bool = { _ in false },
        _ change: (inout Value) -> Result
    ) -> Result {
        if entries.count >= limit, entries[key] == nil { forget(unless: isNeeded) }
        uses &+= 1
        entries[key, default: Entry(value: make(), lastUse: uses)].lastUse = uses
        return change(&entries[key, default: Entry(value: make(), lastUse: uses)].value)
    }

    /// Makes room: an eighth at once, so that not every new key has to look for the oldest.
    private mutating func forget(unless isNeeded: (Value) -> Bool) {
        let oldest = entries.filter { !isNeeded($0.value.value) }.sorted { $0.value.lastUse < $1.value.lastUse }
        for (key, _) in oldest.prefix(max(1, limit / 8)) { entries[key] = nil }
    }
}
