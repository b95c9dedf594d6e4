/// A table with a bounded number of keys. Beyond the limit, the least recently used entries are removed.
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

    /// Returns the value of a key. This does not count as a use.
    func value(of key: Key) -> Value? { entries[key]?.value }

    /// Updates the value of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - make: The initial value of a new key.
    ///   - isNeeded: Whether a value must be kept. If all must be, the table grows beyond its limit.
    ///   - change: Updates the value.
    /// - Returns: The result of `change`.
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

    /// Removes an eighth of the entries at once, so that not every new key has to search for the oldest.
    private mutating func forget(unless isNeeded: (Value) -> Bool) {
        let oldest = entries.filter { !isNeeded($0.value.value) }.sorted { $0.value.lastUse < $1.value.lastUse }
        for (key, _) in oldest.prefix(max(1, limit / 8)) { entries[key] = nil }
    }
}
