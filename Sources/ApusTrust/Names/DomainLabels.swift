/// The labels of a domain name, in lower case and without a dot at its end.
///
/// Only ASCII letters are changed: the names of a certificate and of a URL are A-labels.
struct DomainLabels: Sendable, Hashable {
    let labels: [Substring]

    init(_ name: some StringProtocol) {
        let bytes = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let text = Substring(String(decoding: bytes, as: UTF8.self))
        labels = (text.last == "." ? text.dropLast() : text).split(separator: ".", omittingEmptySubsequences: false)
    }

    /// Whether its first label is a wildcard.
    var isWildcard: Bool { labels.first == "*" }

    /// Whether its last labels are those of `domain`.
    func isWithin(_ domain: DomainLabels) -> Bool {
        labels.count >= domain.labels.count && labels.suffix(domain.labels.count).elementsEqual(domain.labels)
    }
}
