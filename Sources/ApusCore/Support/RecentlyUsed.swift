/// Values by their keys, up to a capacity. Beyond it, the value that was not used for the longest time is removed.
package struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var entries: [Key: (value: Value, use: UInt64)] = [:]
    private var uses: UInt64 = 0

    /// - Parameter capacity: The maximum number of values.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns the value of a key, which counts as a use. `nil` if it is not kept.
    package mutating func find(_ key: Key) -> Value? {
        // The key is hashed once, since it may be a long text.
        guard let position = entries.index(forKey: key) else { return nil }
        uses += 1
        entries.values[position].use = uses
        return entries.values[position].value
    }

    /// Keeps a value, which counts as a use.
    package mutating func keep(_ value: Value, for key: Key) {
        uses += 1
        entries[key] = (value, uses)
        guard entries.count > capacity else { return }
        if let oldest = entries.min(by: { $0.value.use < $1.value.use }) { entries[oldest.key] = nil }
    }
}
