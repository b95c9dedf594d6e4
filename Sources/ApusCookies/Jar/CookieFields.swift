internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// Caches the most recently written `Cookie` fields, one per target, because most requests repeat an earlier target.
///
/// An entry is valid until a cookie is changed or one of its cookies expires.
struct CookieFields {
    /// A field, for one target or for a whole origin. A class, because the entries are compared for each request, and
    /// copying one would cost more than the comparison.
    final class Written: Sendable {
        let origin: Origin
        /// The path, or `nil` if every path of the origin gets the same field.
        let path: String?
        let field: HTTPField
        /// The location in the table of the cookies in the field.
        let domain: Substring
        let entries: [Int]
        /// The earliest expiration of these cookies.
        let end: Date

        init(origin: Origin, path: String?, field: HTTPField, domain: Substring, entries: [Int], end: Date) {
            self.origin = origin
            self.path = path
            self.field = field
            self.domain = domain
            self.entries = entries
            self.end = end
        }

        fileprivate func isFor(_ target: borrowing TargetURI) -> Bool {
            guard origin == target.origin else { return false }
            guard let path else { return target.path.utf8.first == UInt8(ascii: "/") }
            return path.utf8.elementsEqual(CookieScope.path(of: target))
        }
    }

    /// The maximum number of entries. A search through more would take longer than writing the field.
    static let capacity = 8

    private var written: [Written] = []
    /// The last use of each entry, if not yet stored in its cookies.
    private var uses: [Date?] = []
    private var oldest = 0

    /// Returns the field for a target and records its use, or returns `nil` if it must be written.
    mutating func field(for target: borrowing TargetURI, at date: Date) -> HTTPField? {
        guard let index = index(of: target), date < written[index].end else { return nil }
        uses[index] = date
        return written[index].field
    }

    /// Stores a field in place of an expired one for the same target, or else of the oldest.
    mutating func keep(_ field: Written, for target: borrowing TargetURI) {
        if let index = index(of: target) {
            written[index] = field
        } else if written.count < Self.capacity {
            written.append(field)
            uses.append(nil)
        } else {
            written[oldest] = field
            oldest = (oldest + 1) % Self.capacity
        }
    }

    /// Returns the uses that are not yet stored in the cookies, and clears them.
    mutating func takeUses() -> [(field: Written, date: Date)] {
        guard uses.contains(where: { $0 != nil }) else { return [] }
        defer { for index in uses.indices { uses[index] = nil } }
        return zip(written, uses).compactMap { field, use in use.map { (field, $0) } }
    }

    mutating func forget() {
        written = []
        uses = []
        oldest = 0
    }

    private func index(of target: borrowing TargetURI) -> Int? {
        for index in written.indices where written[index].isFor(target) { return index }
        return nil
    }
}
