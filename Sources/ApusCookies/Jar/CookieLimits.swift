/// The bounds on what servers can make a jar hold.
///
/// See RFC 6265bis §6.1, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-6.1
public struct CookieLimits: Sendable, Hashable {
    /// Name and value of a cookie together, in bytes; a longer cookie is not taken. 4096.
    public var nameAndValueBytes = 4096
    /// The value of an attribute, in bytes; a longer one is passed over. 1024.
    public var attributeValueBytes = 1024
    /// How long a cookie may live, whatever it says itself; `nil` is any time. 400 days.
    public var lifetime: Duration? = .seconds(400 * 86_400)
    /// The cookies of a registrable domain, all of its hosts together. Of more, those go first that are not secure, be it
    /// the one that has just come, and among them the least recently used. 180.
    public var cookiesPerDomain = 180
    /// The cookies of a jar; the least recently used goes first. 3000.
    public var cookies = 3000

    /// The defaults.
    public init() {}
}
