/// The static table of RFC 7541, Appendix A.
struct HPACKStaticTable: Sendable {
    static let shared = HPACKStaticTable()

    /// The number of entries. Their indexes begin with 1.
    static var count: Int { 61 }

    private struct Entry: Sendable {
        let name: [UInt8]
        let value: [UInt8]
        /// The index after the last entry with the same name.
        var end = 0
    }

    private static var slotCount: Int { 256 }
    private let headers: [HPACKHeader]
    private let entries: [Entry]
    /// The index of the first entry with a name, or 0. The place is found by the name's hash.
    private let slots: [UInt8]

    private init() {
        var headers: [HPACKHeader] = []
        var entries: [Entry] = []
        for line in Self.lines {
            headers.append(HPACKHeader(name: line.name, value: line.value))
            entries.append(Entry(name: Array(line.name.utf8), value: Array(line.value.utf8)))
        }
        var slots = [UInt8](repeating: 0, count: Self.slotCount)
        var start = 0
        while start < entries.count {
            var end = start + 1
            // Entries with the same name are neighbors.
            while end < entries.count, entries[end].name == entries[start].name { end += 1 }
            for position in start..<end { entries[position].end = end + 1 }
            let hash = entries[start].name.withUnsafeBytes { (name: UnsafeRawBufferPointer) -> UInt64 in
                HPACKKey.hash(of: name, seed: 0)
            }
            var slot = Self.slot(of: hash)
            while slots[slot] != 0 { slot = (slot + 1) % Self.slotCount }
            slots[slot] = UInt8(truncatingIfNeeded: start + 1)
            start = end
        }
        self.headers = headers
        self.entries = entries
        self.slots = slots
    }

    /// Returns the line with an index, or `nil` if it is not one of this table.
    @inline(__always)
    func header(at index: Int) -> HPACKHeader? {
        guard index >= 1, index <= headers.count else { return nil }
        return headers[index - 1]
    }

    /// Returns the entry with the line, or else the first one with its name.
    func find(
        _ key: HPACKKey,
        _ name: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer
    ) -> HPACKMatch? {
        var slot = Self.slot(of: key.name)
        // There are far fewer names than slots, so an empty slot ends every search.
        while true {
            let first = Int(slots[slot])
            if first == 0 { return nil }
            if Self.areEqual(entries[first - 1].name, name) {
                for index in first..<entries[first - 1].end where Self.areEqual(entries[index - 1].value, value) {
                    // An empty value stands for no value in the RFC, but is one for a decoder.
                    return HPACKMatch(index: index, hasValue: true)
                }
                return HPACKMatch(index: first, hasValue: false)
            }
            slot = (slot + 1) % Self.slotCount
        }
    }

    private static func slot(of hash: UInt64) -> Int {
        // The highest bits depend on all bytes of the name.
        Int(truncatingIfNeeded: hash &>> 56)
    }

    private static func areEqual(_ octets: [UInt8], _ other: UnsafeRawBufferPointer) -> Bool {
        guard octets.count == other.count else { return false }
        return octets.withUnsafeBytes { (octets: UnsafeRawBufferPointer) -> Bool in
            HTTPOctets.areEqual(octets, 0, other, 0, count: other.count)
        }
    }

    private static let lines: [(name: String, value: String)] = [
        (":authority", ""),
        (":method", "GET"),
        (":method", "POST"),
        (":path", "/"),
        (":path", "/index.html"),
        (":scheme", "http"),
        (":scheme", "https"),
        (":status", "200"),
        (":status", "204"),
        (":status", "206"),
        (":status", "304"),
        (":status", "400"),
        (":status", "404"),
        (":status", "500"),
        ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"),
        ("accept-language", ""),
        ("accept-ranges", ""),
        ("accept", ""),
        ("access-control-allow-origin", ""),
        ("age", ""),
        ("allow", ""),
        ("authorization", ""),
        ("cache-control", ""),
        ("content-disposition", ""),
        ("content-encoding", ""),
        ("content-language", ""),
        ("content-length", ""),
        ("content-location", ""),
        ("content-range", ""),
        ("content-type", ""),
        ("cookie", ""),
        ("date", ""),
        ("etag", ""),
        ("expect", ""),
        ("expires", ""),
        ("from", ""),
        ("host", ""),
        ("if-match", ""),
        ("if-modified-since", ""),
        ("if-none-match", ""),
        ("if-range", ""),
        ("if-unmodified-since", ""),
        ("last-modified", ""),
        ("link", ""),
        ("location", ""),
        ("max-forwards", ""),
        ("proxy-authenticate", ""),
        ("proxy-authorization", ""),
        ("range", ""),
        ("referer", ""),
        ("refresh", ""),
        ("retry-after", ""),
        ("server", ""),
        ("set-cookie", ""),
        ("strict-transport-security", ""),
        ("transfer-encoding", ""),
        ("user-agent", ""),
        ("vary", ""),
        ("via", ""),
        ("www-authenticate", ""),
    ]
}
