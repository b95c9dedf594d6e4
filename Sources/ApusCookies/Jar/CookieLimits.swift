/// Limits the cookies that servers can set in a jar.
///
/// See RFC 6265bis §6.1, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-6.1
public struct CookieLimits: Sendable, Hashable {
    /// The maximum size of name and value together, in bytes. Longer cookies are rejected. Default: 4096.
    public var nameAndValueBytes = 4096
    /// The maximum size of an attribute's value, in bytes. Longer attributes are ignored. Default: 1024.
    public var attributeValueBytes = 1024
    /// The maximum lifetime of a cookie, even if its own expiration is later. `nil` means no limit. Default: 400 days.
    public var lifetime: Duration? = .seconds(400 * 86_400)
    /// The maximum number of cookies per registrable domain, over all its hosts. If exceeded, non-secure cookies are
    /// removed first, even a new one, and the least recently used first among them. Default: 180.
    public var cookiesPerDomain = 180
    /// The maximum number of cookies in a jar. The least recently used are removed first. Default: 3000.
    public var cookies = 3000

    /// Creates the default limits.
    public init() {}
}
