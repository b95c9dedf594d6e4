/// The hosts that a domain in a name constraint covers. RFC 5280 §4.2.1.10.
struct DomainRange: Sendable {
    private enum Extent: Sendable {
        /// An empty domain.
        case all
        /// A domain with a leading dot, which covers only the hosts below it.
        case below
        case domain
    }

    private let extent: Extent
    private let base: DomainLabels
    /// Whether a domain without a leading dot covers the hosts below it too.
    private let hostsBelow: Bool

    init(_ domain: String, hostsBelow: Bool) {
        let hasDot = domain.first == "."
        extent = domain.isEmpty ? .all : hasDot ? .below : .domain
        base = DomainLabels(hasDot ? domain.dropFirst() : domain[...])
        self.hostsBelow = hostsBelow
    }

    /// Whether the range covers a host.
    func covers(_ host: DomainLabels) -> Bool {
        switch extent {
        case .all: true
        case .below: host.labels.count > base.labels.count && host.isWithin(base)
        case .domain: hostsBelow ? host.isWithin(base) : host == base
        }
    }

    /// Whether a wildcard can stand for the domain itself: `*.example.org` for `a.example.org`.
    func isNamed(by wildcard: DomainLabels) -> Bool {
        guard wildcard.isWildcard, case .domain = extent else { return false }
        return wildcard.labels.dropFirst() == base.labels.dropFirst()
    }
}
