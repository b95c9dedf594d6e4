public import ApusCore
public import Foundation

/// A cookie: its name and value, and the hosts, paths and time that it is valid for.
///
/// ```swift
/// let consent = try Cookie(name: "consent", value: "none", domain: "example.org")
/// try session.cookies?.set(consent)
/// ```
///
/// Every cookie can be written to a field: control characters and semicolons are rejected.
///
/// See RFC 6265bis, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20
public struct Cookie: Sendable, Hashable {
    /// Controls which requests from other sites' pages include the cookie.
    ///
    /// Requests of this library do not come from pages. They count as entered in the address bar of a browser, which
    /// sends cookies of every kind. Therefore the attribute is stored but has no effect.
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// No requests.
        case strict = "Strict"
        /// Navigations to another page with a safe method.
        case lax = "Lax"
        /// All requests.
        case none = "None"

        init?(_ value: String) {
            switch value.lowercased() {
            case "strict": self = .strict
            case "lax": self = .lax
            case "none": self = .none
            default: return nil
            }
        }
    }

    /// The name, which may be empty.
    public let name: String
    /// The value, including any quotation marks.
    public let value: String
    /// The host or domain of the cookie, in lowercase punycode.
    public let domain: String
    /// Whether it is for the host `domain` alone, without subdomains.
    public let isHostOnly: Bool
    /// The path, which begins with a slash. It includes all paths below it.
    public let path: String
    /// The expiration date. `nil` means that it is a session cookie.
    public let expires: Date?
    /// Whether it is sent only over HTTPS, or to this machine: to `localhost` or a loopback address, without a proxy.
    public let isSecure: Bool
    /// Whether scripts in a browser cannot read it.
    public let isHTTPOnly: Bool
    /// The `SameSite` attribute, or `nil` if the server did not set it.
    public let sameSite: SameSite?
    /// The time at which it was first set.
    public internal(set) var created: Date
    /// The time at which it was last sent or set.
    public internal(set) var lastAccessed: Date

    /// Whether it has an expiration date, so that it is not a session cookie.
    public var isPersistent: Bool { expires != nil }

    /// Returns whether the cookie has expired at a date.
    public func isExpired(at date: Date) -> Bool {
        expires.map { $0 <= date } ?? false
    }

    /// Creates a cookie after checking its parts.
    ///
    /// - Parameters:
    ///   - name: The name. It may be empty if the value is not.
    ///   - value: The value.
    ///   - domain: The host or domain. An IPv6 address has no brackets. Non-ASCII names must be in punycode.
    ///   - isHostOnly: Whether it is for that host alone. Default: `true`.
    ///   - path: The path. Default: `/`.
    ///   - expires: The expiration date. `nil` means a session cookie. Default: `nil`.
    ///   - isSecure: Whether it is sent only over HTTPS, or to this machine. Default: `false`.
    ///   - isHTTPOnly: Whether scripts in a browser cannot read it. Default: `false`.
    ///   - sameSite: The `SameSite` attribute. Default: `nil`.
    ///   - created: The time at which it was first set. Default: now.
    ///   - lastAccessed: The time at which it was last sent or set. `nil` means `created`. Default: `nil`.
    /// - Throws: `ApusError` with the code `invalidField` if it cannot be sent, or does not meet the requirements of
    ///   its prefix: `__Secure-` requires a secure cookie, `__Host-` also a host-only cookie with the path `/`.
    public init(
        name: String,
        value: String,
        domain: String,
        isHostOnly: Bool = true,
        path: String = "/",
        expires: Date? = nil,
        isSecure: Bool = false,
        isHTTPOnly: Bool = false,
        sameSite: SameSite? = nil,
        created: Date = Date(),
        lastAccessed: Date? = nil
    ) throws(ApusError) {
        let domain = String(domain.hasPrefix(".") ? domain.dropFirst() : domain[...]).lowercasedASCII
        self.init(
            unchecked: name,
            value,
            domain: domain,
            isHostOnly: isHostOnly,
            path: path,
            expires: expires,
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            sameSite: sameSite,
            created: created,
            lastAccessed: lastAccessed ?? created
        )
        if let fault { throw ApusError(.invalidField, "a cookie can't be created: \(fault)") }
        guard keepsPrefixPromise else { throw CookieRefusal.prefix.error(of: domain) }
    }

    /// Creates a cookie without checks.
    init(
        unchecked name: String,
        _ value: String,
        domain: String,
        isHostOnly: Bool,
        path: String,
        expires: Date?,
        isSecure: Bool,
        isHTTPOnly: Bool,
        sameSite: SameSite?,
        created: Date,
        lastAccessed: Date
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.created = created
        self.lastAccessed = lastAccessed
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, domain and path, never the value.
    public var description: String { "\(name)=\(Redaction.mark); \(isHostOnly ? "" : "*.")\(domain)\(path)" }

    public var debugDescription: String { description }

    /// Leaves out the value, which `dump` would print.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "domain": domain, "path": path], displayStyle: .struct)
    }
}
