internal import ApusTrust

/// The DNS names of a certificate. A search takes the same time with any number of them.
struct TLSDNSNames: Sendable {
    private let names: Set<DNSName>

    init(_ names: [String]) {
        self.names = Set(names.compactMap { DNSName($0) })
    }

    /// Whether they include a host.
    func contains(_ host: String) -> Bool {
        guard let host = DNSName(host) else { return false }
        return host.certificateNames.contains { names.contains($0) }
    }
}
