internal import Foundation

/// The entries of a store, by host.
struct HSTSTable {
    private struct Row {
        var entry: HSTSEntry
        /// The end of the entry when the file was last due to be written.
        var savedExpires: Date
    }

    /// A server repeats its policy in each response, which alone is no reason to write the file.
    private static let unsavedSeconds: Double = 60

    private var rows: [String: Row] = [:]
    private let limit: Int

    /// - Parameter limit: The maximum number of entries. At least 1.
    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    var isEmpty: Bool { rows.isEmpty }

    var count: Int { rows.count }

    /// Returns the entries that have not expired, by host.
    func entries(at now: Date) -> [HSTSEntry] {
        rows.values.map(\.entry).filter { $0.expires > now }.sorted { $0.host < $1.host }
    }

    /// Returns the entry that applies to a host: its own, or that of a host above it. Removes expired ones on the way.
    mutating func entry(for host: String, at now: Date) -> HSTSEntry? {
        var name = host[...]
        while true {
            if let entry = rows[String(name)]?.entry {
                if entry.expires <= now {
                    rows[entry.host] = nil
                } else if entry.includesSubdomains || name.startIndex == host.startIndex {
                    return entry
                }
            }
            guard let dot = name.firstIndex(of: ".") else { return nil }
            name = name[name.index(after: dot)...]
        }
    }

    /// Adds or replaces an entry. At the limit it removes expired entries, and adds no further one: a server with many
    /// subdomains could otherwise remove the entries of others, whose next requests would be sent in the clear.
    ///
    /// - Returns: Whether the file is due to be written.
    mutating func insert(_ entry: HSTSEntry, at now: Date) -> Bool {
        guard entry.expires > now else { return remove(entry.host) }
        if let row = rows[entry.host] {
            let difference = abs(entry.expires.timeIntervalSince(row.savedExpires))
            guard row.entry.includesSubdomains != entry.includesSubdomains || difference >= Self.unsavedSeconds else {
                rows[entry.host] = Row(entry: entry, savedExpires: row.savedExpires)
                return false
            }
        } else if rows.count >= limit {
            removeExpired(at: now)
            guard rows.count < limit else { return false }
        }
        rows[entry.host] = Row(entry: entry, savedExpires: entry.expires)
        return true
    }

    /// Removes the entry of a host. Returns whether there was one.
    mutating func remove(_ host: String) -> Bool { rows.removeValue(forKey: host) != nil }

    /// Removes all entries. Returns whether there were any.
    mutating func removeAll() -> Bool {
        defer { rows = [:] }
        return !rows.isEmpty
    }

    private mutating func removeExpired(at now: Date) {
        rows = rows.filter { $0.value.entry.expires > now }
    }
}
