internal import DequeModule

/// The dynamic table of a decoder (RFC 7541 §2.3.2).
///
/// Each entry counts 32 bytes more than its name and value, which also bounds the number of entries.
struct HPACKDynamicTable: Sendable {
    /// The lines from the newest to the oldest.
    private var headers = Deque<HPACKHeader>()
    private(set) var byteCount = 0
    /// The current size limit in bytes.
    private(set) var limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { headers.count }

    /// Returns a line, or `nil` if there is none. The newest line has the offset 0.
    func header(at offset: Int) -> HPACKHeader? {
        guard offset >= 0, offset < headers.count else { return nil }
        return headers[offset]
    }

    /// Adds a line and evicts the oldest to make room. A line larger than the limit empties the table.
    mutating func insert(_ header: HPACKHeader) {
        guard header.byteCount <= limit else {
            evict(to: 0)
            return
        }
        evict(to: limit - header.byteCount)
        headers.prepend(header)
        byteCount += header.byteCount
    }

    mutating func setLimit(_ limit: Int) {
        self.limit = limit
        evict(to: limit)
    }

    private mutating func evict(to bound: Int) {
        while byteCount > bound, let header = headers.popLast() { byteCount -= header.byteCount }
    }
}
