internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// The fields that were written last, each for one target: most requests go where one went before.
///
/// They hold as long as the cookies stay what they are, and none of theirs has ended.
struct CookieFields {
    /// A field, for one target or for all of an origin. They are looked at with each request: in an object, since to copy
    /// one takes longer than that.
    final class Written: Sendable {
        let origin: Origin
        /// `nil` where every path of the origin gets the same.
        let path: String?
        let field: HTTPField
        /// Where the cookies lie that are in it.
        let domain: Substring
        let entries: [Int]
        /// When the first of them ends.
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

    /// So many targets are remembered; more would take longer to look through than to write the field anew.
    static let capacity = 8

    private var written: [Written] = []
    /// When each was sent last, where its cookies do not know that yet.
    private var uses: [Date?] = []
    private var oldest = 0

    /// The field for a target, noted as sent; `nil` where it has to be written.
    mutating func field(for target: borrowing TargetURI, at date: Date) -> HTTPField? {
        guard let index = index(of: target), date < written[index].end else { return nil }
        uses[index] = date
        return written[index].field
    }

    /// Keeps a field, in place of one for the same target that has ended, or else of the oldest.
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

    /// The fields that were sent, and when, as far as their cookies do not know yet.
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
