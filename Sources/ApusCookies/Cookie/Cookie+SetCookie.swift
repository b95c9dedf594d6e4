public import ApusCore
public import Foundation

extension Cookie {
    /// Parses a `Set-Cookie` field as in RFC 6265bis §5.6 and §5.7, with one difference: a name, value or path that is
    /// not valid UTF-8 is rejected, while the RFC allows any bytes.
    ///
    /// A jar has further rules for accepting a cookie: see `CookieJar.receive(_:from:)`.
    ///
    /// - Parameters:
    ///   - field: The value of one field.
    ///   - target: The target of the request whose response had the field.
    ///   - date: The time of the response. Default: now.
    ///   - limits: The limits of size and lifetime. Default: `CookieLimits()`.
    /// - Throws: `ApusError` with the code `invalidField` and the reason, if the cookie is rejected.
    public init(
        setCookie field: String,
        from target: TargetURI,
        at date: Date = Date(),
        limits: CookieLimits = CookieLimits()
    ) throws(ApusError) {
        do throws(CookieRefusal) {
            try self.init(receiving: Array(field.utf8), from: target, at: date, limits: limits)
        } catch {
            throw error.error(of: target.origin.host)
        }
    }

    /// Performs the steps of §5.7 that need no jar.
    ///
    /// - Parameters:
    ///   - field: The value of one field.
    ///   - target: The target of the request whose response had the field.
    ///   - date: The time of the response.
    ///   - limits: The limits of size and lifetime.
    ///   - isDirect: Whether a connection to a loopback host stays on this machine. Default: `true`.
    /// - Throws: The reason for which the cookie is refused.
    init(
        receiving field: [UInt8],
        from target: TargetURI,
        at date: Date,
        limits: CookieLimits,
        isDirect: Bool = true
    ) throws(CookieRefusal) {
        let host = target.origin.host
        guard host.utf8.count <= CookieScope.longestHost else { throw .hostTooLong }
        let parsed = try SetCookieField(field, limits: limits)
        if parsed.name.isEmpty, parsed.value.isEmpty { throw .empty }
        let domain = try Self.domain(parsed.domain ?? "", from: host)
        let path =
            switch parsed.path {
            case .path(let path): path
            case .absent, .unspecific: CookieScope.defaultPath(of: target)
            }
        self.init(
            unchecked: parsed.name,
            parsed.value,
            domain: domain ?? host,
            isHostOnly: domain == nil,
            path: path,
            expires: Self.end(of: parsed, at: date, limits: limits),
            isSecure: parsed.isSecure,
            isHTTPOnly: parsed.isHTTPOnly,
            sameSite: parsed.sameSite,
            created: date,
            lastAccessed: date
        )
        if isSecure, !CookieScope.isSecure(target.origin, isDirect: isDirect) { throw .insecureOrigin }
        guard keepsPrefixPromise else { throw .prefix }
        // A `__Host-` cookie needs an explicit path, even if the default path is the same.
        if parsed.path == .absent, Self.promisesHost(name) { throw .prefix }
    }

    /// Returns the domain of a cookie that includes subdomains, or `nil` if it is for the host alone.
    private static func domain(_ value: String, from host: String) throws(CookieRefusal) -> String? {
        guard value.utf8.allSatisfy({ $0 < 0x80 }) else { throw .domainNotASCII }
        // The host of a target has no brackets.
        let isBracketed = value.hasPrefix("[") && value.hasSuffix("]")
        let domain = isBracketed ? String(value.dropFirst().dropLast()) : value
        if domain.isEmpty { return nil }
        guard CookieScope.host(host, matches: domain) else { throw .foreignDomain }
        guard PublicSuffixList.embedded.isPublicSuffix(domain) else { return domain }
        guard domain == host else { throw .publicSuffix }
        return nil
    }

    private static func end(of parsed: SetCookieField, at date: Date, limits: CookieLimits) -> Date? {
        let latest = limits.lifetime.map { date + $0.inSeconds } ?? .distantFuture
        guard let age = parsed.maxAge else { return parsed.expires.map { min($0, latest) } }
        // A date that is not in the future expires at once, for all clocks.
        return age <= 0 ? .distantPast : min(date + age, latest)
    }
}
