internal import ApusCore

/// The items of a query, to be compared in any order.
struct ArchivedQuery: Sendable, Hashable {
    private struct Item: Sendable, Hashable {
        let name: String
        /// The value, `nil` if there is no equals sign.
        let value: String?

        /// Whether a recorder has replaced the value.
        var isRedacted: Bool { value == ArchivedQuery.redacted }

        /// Whether a recorder has replaced the whole item, which had no name.
        var isRedactedAsAWhole: Bool { value == nil && name == ArchivedQuery.redacted }
    }

    /// The text that replaces a secret in the URL of an archive.
    private static let redacted = "…"

    /// The items, sorted.
    private let items: [Item]

    /// Parses a query without its question mark.
    init(_ query: Substring) {
        let items = query.utf8.split(separator: UInt8(ascii: "&")).map { part -> Item in
            let sign = part.firstIndex(of: UInt8(ascii: "="))
            return Item(
                name: Self.decoded(part[..<(sign ?? part.endIndex)]),
                value: sign.map { Self.decoded(part[$0...].dropFirst()) }
            )
        }
        self.items = items.sorted { ($0.name, $0.value ?? "") < ($1.name, $1.value ?? "") }
    }

    private static func decoded(_ text: some Sequence<UInt8>) -> String {
        PercentEncoding.decode(String(decoding: Array(text), as: UTF8.self))
    }

    /// Returns whether this recorded query is that of a request, apart from redacted values.
    func covers(_ query: ArchivedQuery) -> Bool {
        guard items.count == query.items.count else { return false }
        var rest = query.items
        for item in items where !item.isRedacted && !item.isRedactedAsAWhole {
            guard let index = rest.firstIndex(of: item) else { return false }
            rest.remove(at: index)
        }
        for item in items where item.isRedacted {
            guard let index = rest.firstIndex(where: { $0.name == item.name }) else { return false }
            rest.remove(at: index)
        }
        // Each item that was replaced as a whole is one of the rest.
        return rest.count == items.count(where: \.isRedactedAsAWhole)
    }

    /// Returns the names of the items that only one of the queries has, sorted. Empty if only their numbers differ.
    func differingNames(from query: ArchivedQuery) -> [String] {
        Set(Set(items).symmetricDifference(query.items).map(\.name)).sorted()
    }
}
