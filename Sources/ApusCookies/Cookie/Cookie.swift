public import ApusCore
public import Foundation

/// A cookie: a name and a value, and where and how long they are sent back.
///
/// ```swift
/// let consent = try Cookie(name: "consent", value: "none", domain: "example.org")
/// try session.cookies?.set(consent)
/// ```
///
/// There is none that could not be written into a field: control characters and semicolons are refused.
///
/// See RFC 6265bis, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20
public struct Cookie: Sendable, Hashable {
    /// Which requests that begin on pages of other sites carry the cookie.
    ///
    /// A program has no pages: what it requests is taken for what a person types into the address bar of a browser, which
    /// carries cookies of every kind. So the attribute is kept, and decides nothing.
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// None.
        case strict = "Strict"
        /// Those that go to another page, by a safe method.
        case lax = "Lax"
        /// All.
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

    /// The name; it may be empty.
    public let name: String
    /// The value, with the quotation marks that it may have.
    public let value: String
    /// The host that the cookie is for, or the domain whose hosts all get it; in small letters and punycode.
    public let domain: String
    /// Whether it is for the host `domain` alone, and not for those below it.
    public let isHostOnly: Bool
    /// The path that it is for, and all below it; it begins with a slash.
    public let path: String
    /// When it ends; `nil` means with the session of the program.
    public let expires: Date?
    /// Whether it goes only to https, and to this machine itself.
    public let isSecure: Bool
    /// Whether scripts in a browser may not see it.
    public let isHTTPOnly: Bool
    /// Which requests from other sites' pages carry it; `nil` where the server did not say.
    public let sameSite: SameSite?
    /// When it was first set.
    public internal(set) var created: Date
    /// When it was sent last, or set.
    public internal(set) var lastAccessed: Date

    /// Whether it outlives the session of the program.
    public var isPersistent: Bool { expires != nil }

    /// Whether its time is over.
    public func isExpired(at date: Date) -> Bool {
        expires.map { $0 <= date } ?? false
    }

    /// Makes a cookie of its parts, checked.
    ///
    /// - Parameters:
    ///   - name: The name; it may be empty if the value is not.
    ///   - value: The value.
    ///   - domain: The host, or the domain; an IPv6 address without its brackets, a name with other letters in punycode.
    ///   - isHostOnly: Whether it is for that host alone; `true` by default.
    ///   - path: The path, `/` by default.
    ///   - expires: When it ends; `nil` (the default) means with the session of the program.
    ///   - isSecure: Whether it goes only to https and to this machine itself; `false` by default.
    ///   - isHTTPOnly: Whether scripts in a browser may not see it; `false` by default.
    ///   - sameSite: Which requests from other sites' pages carry it; `nil` by default.
    ///   - created: When it was first set; now by default.
    ///   - lastAccessed: When it was sent last, or set; `nil` (the default) means `created`.
    /// - Throws: `ApusError` with the code `invalidField` where it could not be sent, or its name promises other than it
    ///   has: `__Secure-` that it is secure, `__Host-` that it is secure, for its host alone, and for the path `/`.
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
        if let fault { throw ApusError(.invalidField, "a cookie can't be made: \(fault)") }
        guard keepsPrefixPromise else { throw CookieRefusal.prefix.error(of: domain) }
    }

    /// Takes the parts as they are.
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
    /// Name, domain and path; never the value.
    public var description: String { "\(name)=\(Redaction.mark); \(isHostOnly ? "" : "*.")\(domain)\(path)" }

    public var debugDescription: String { description }

    /// Without the value, which `dump` would show.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "domain": domain, "path": path], displayStyle: .struct)
    }
}
