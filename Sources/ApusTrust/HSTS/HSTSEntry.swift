public import Foundation

/// A host that is requested over https only.
public struct HSTSEntry: Sendable, Hashable {
    /// The host, in lowercase and without a trailing dot.
    public let host: String
    /// Whether all hosts below it are requested over https too.
    public let includesSubdomains: Bool
    /// When the entry ends. `Date.distantFuture` if it does not end.
    public let expires: Date

    /// Creates an entry with a host in the form in which hosts are compared.
    init(normalized host: String, includesSubdomains: Bool, expires: Date) {
        self.host = host
        self.includesSubdomains = includesSubdomains
        self.expires = expires
    }
}
