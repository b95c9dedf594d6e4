public import ApusCore
public import Foundation

extension Cookie {
    /// Reads a `Set-Cookie` field as RFC 6265bis §5.6 and §5.7 say, but for one thing: a cookie whose name, value or path is
    /// not in UTF-8 is refused, where they take any bytes.
    ///
    /// What a jar has besides decides too whether it takes the cookie: see `CookieJar.receive(_:from:)`.
    ///
    /// - Parameters:
    ///   - field: The value of one field.
    ///   - target: What was requested when it came.
    ///   - date: When it came; now by default.
    ///   - limits: How long its parts may be, and how long it may live; the defaults by default.
    /// - Throws: `ApusError` with the code `invalidField`, saying why such a cookie is not taken.
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

    /// The steps of §5.7 that need no jar.
    init(receiving field: [UInt8], from target: TargetURI, at date: Date, limits: CookieLimits) throws(CookieRefusal) {
        let host = target.origin.host
        guard host.utf8.count <= CookieScope.longestHost else { throw .hostTooLong }
        let said = try SetCookieField(field, limits: limits)
        if said.name.isEmpty, said.value.isEmpty { throw .empty }
        let domain = try Self.domain(said.domain ?? "", from: host)
        let path =
            switch said.path {
            case .path(let path): path
            case .absent, .unspecific: CookieScope.defaultPath(of: target)
            }
        self.init(
            unchecked: said.name,
            said.value,
            domain: domain ?? host,
            isHostOnly: domain == nil,
            path: path,
            expires: Self.end(of: said, at: date, limits: limits),
            isSecure: said.isSecure,
            isHTTPOnly: said.isHTTPOnly,
            sameSite: said.sameSite,
            created: date,
            lastAccessed: date
        )
        if isSecure, !CookieScope.isSecure(target.origin) { throw .insecureOrigin }
        guard keepsPrefixPromise else { throw .prefix }
        // To a cookie for its host alone the path has to be given, even where it would be the same without.
        if said.path == .absent, Self.promisesHost(name) { throw .prefix }
    }

    /// The domain of a cookie that is for more than its host; `nil` where it is for that alone.
    private static func domain(_ said: String, from host: String) throws(CookieRefusal) -> String? {
        guard said.utf8.allSatisfy({ $0 < 0x80 }) else { throw .domainNotASCII }
        // The host of a target is without its brackets.
        let isBracketed = said.hasPrefix("[") && said.hasSuffix("]")
        let domain = isBracketed ? String(said.dropFirst().dropLast()) : said
        if domain.isEmpty { return nil }
        guard CookieScope.host(host, matches: domain) else { throw .foreignDomain }
        guard PublicSuffixList.embedded.isPublicSuffix(domain) else { return domain }
        guard domain == host else { throw .publicSuffix }
        return nil
    }

    private static func end(of said: SetCookieField, at date: Date, limits: CookieLimits) -> Date? {
        let latest = limits.lifetime.map { date + $0.inSeconds } ?? .distantFuture
        guard let age = said.maxAge else { return said.expires.map { min($0, latest) } }
        // Whatever is not in the future ends now, and for all clocks.
        return age <= 0 ? .distantPast : min(date + age, latest)
    }
}
