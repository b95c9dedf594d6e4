/// The dynamic table of an encoder, with the hashes by which lines are found.
struct HPACKEncoderTable: Sendable {
    private struct Entry: Sendable {
        /// The name, followed by the value.
        let octets: [UInt8]
        let nameCount: Int

        var byteCount: Int { octets.count + HPACKHeader.overheadBytes }

        func hasName(_ name: UnsafeRawBufferPointer) -> Bool {
            guard name.count == nameCount else { return false }
            return octets.withUnsafeBytes { (octets: UnsafeRawBufferPointer) -> Bool in
                HTTPOctets.areEqual(octets, 0, name, 0, count: nameCount)
            }
        }

        func hasValue(_ value: UnsafeRawBufferPointer) -> Bool {
            guard value.count == octets.count - nameCount else { return false }
            return octets.withUnsafeBytes { (octets: UnsafeRawBufferPointer) -> Bool in
                HTTPOctets.areEqual(octets, nameCount, value, 0, count: value.count)
            }
        }
    }

    /// The entries from the oldest to the newest, of which there are at most 128.
    private var entries: [Entry] = []
    /// The keys of the entries, apart from them so that a search reads few bytes.
    private var keys: [HPACKKey] = []
    private(set) var byteCount = 0
    /// The current size limit in bytes.
    private(set) var limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { entries.count }

    /// Returns the newest entry with the line, or else the newest one with its name.
    func find(
        _ key: HPACKKey,
        _ name: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer
    ) -> HPACKMatch? {
        var nameMatch: HPACKMatch?
        var position = keys.count
        while position > 0 {
            position -= 1
            let known = keys[position]
            guard known.name == key.name else { continue }
            let isLine = known.line == key.line
            guard isLine || nameMatch == nil, entries[position].hasName(name) else { continue }
            let index = HPACKStaticTable.count + keys.count - position
            if isLine, entries[position].hasValue(value) { return HPACKMatch(index: index, hasValue: true) }
            if nameMatch == nil { nameMatch = HPACKMatch(index: index, hasValue: false) }
        }
        return nameMatch
    }

    /// Returns whether a line of this size is worth the entries that it removes from the table.
    func accepts(byteCount: Int) -> Bool {
        byteCount <= limit / 4 * 3
    }

    /// Adds a line and evicts the oldest to make room. A line larger than the limit empties the table.
    mutating func insert(
        _ key: HPACKKey,
        _ name: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer
    ) {
        let size = name.count + value.count + HPACKHeader.overheadBytes
        guard size <= limit else {
            evict(to: 0)
            return
        }
        evict(to: limit - size)
        var octets: [UInt8] = []
        octets.reserveCapacity(name.count + value.count)
        octets.append(contentsOf: name)
        octets.append(contentsOf: value)
        entries.append(Entry(octets: octets, nameCount: name.count))
        keys.append(key)
        byteCount += size
    }

    mutating func setLimit(_ limit: Int) {
        self.limit = limit
        evict(to: limit)
    }

    private mutating func evict(to bound: Int) {
        var evicted = 0
        while byteCount > bound, evicted < entries.count {
            byteCount -= entries[evicted].byteCount
            evicted += 1
        }
        guard evicted > 0 else { return }
        entries.removeFirst(evicted)
        keys.removeFirst(evicted)
    }
}
