public import ApusCore
internal import Foundation
public import HTTPTypes

/// Stores the cookies of one session, or of several sessions that share it.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.cookies = .jar(CookieJar())
/// let session = Session(configuration: configuration)
/// ```
///
/// A jar is kept in memory, and optionally in a file: see `CookieFile`. Session cookies, which have no expiration, stay
/// in it until `removeSessionCookies()` is called or the jar is released.
///
/// See RFC 6265bis §5.7 and §5.8, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-5.7
public final class CookieJar: Sendable {
    /// The limits of the cookies that servers can set.
    public let limits: CookieLimits
    /// Controls which of the cookies set by servers are accepted.
    public let policy: CookieAcceptPolicy
    /// The file of the jar, or `nil` if it is kept in memory alone.
    public var file: CookieFile? { saver?.file }

    let time: any SessionClock
    private let saver: CookieSaver?
    private let table: Lock<CookieTable>

    /// Creates an empty jar.
    ///
    /// - Parameters:
    ///   - limits: The limits of the cookies that servers can set. Default: `CookieLimits()`.
    ///   - policy: Controls which of the cookies set by servers are accepted. Default: `.all`.
    ///   - time: The clock that decides when cookies expire. Default: the system clock.
    public convenience init(
        limits: CookieLimits = CookieLimits(),
        policy: CookieAcceptPolicy = .all,
        time: any SessionClock = SystemClock()
    ) {
        self.init(limits: limits, policy: policy, time: time, saver: nil)
    }

    /// Creates a jar from a file and saves its cookies there.
    ///
    /// A missing file counts as an empty jar. Reading the file blocks.
    ///
    /// - Parameters:
    ///   - file: The file of the cookies.
    ///   - limits: The limits of the cookies that servers can set. Default: `CookieLimits()`.
    ///   - policy: Controls which of the cookies set by servers are accepted. Default: `.all`.
    ///   - time: The clock that decides when cookies expire. Default: the system clock.
    /// - Throws: `ApusError` with the code `fileUnreadable` if the file exists but cannot be read or parsed. The file
    ///   is not changed.
    public convenience init(
        file: CookieFile,
        limits: CookieLimits = CookieLimits(),
        policy: CookieAcceptPolicy = .all,
        time: any SessionClock = SystemClock()
    ) throws(ApusError) {
        let kept = try file.read()
        self.init(limits: limits, policy: policy, time: time, saver: CookieSaver(file))
        restore(kept)
    }

    init(limits: CookieLimits, policy: CookieAcceptPolicy, time: any SessionClock, saver: CookieSaver?) {
        self.limits = limits
        self.policy = policy
        self.time = time
        self.saver = saver
        self.table = Lock(CookieTable(keepsSessionCookies: saver?.file.keepsSessionCookies ?? false))
    }

    // MARK: Reading

    /// All cookies that have not expired, in order of creation.
    public var cookies: [Cookie] {
        let now = time.wallClock
        return table.withLock { $0.cookies(at: now) }
    }

    /// Returns the cookies that a request would send, in order: longest path first, then oldest first.
    ///
    /// - Parameter target: The target of the request.
    /// - Returns: The cookies. Does not update their `lastAccessed`.
    public func cookies(for target: TargetURI) -> [Cookie] {
        let now = time.wallClock
        return table.withLock { $0.cookies(for: target, at: now) }
    }

    /// Returns the value of the `Cookie` field for a request, and updates `lastAccessed` of its cookies.
    ///
    /// - Parameters:
    ///   - target: The target of the request.
    ///   - names: The names of cookies to leave out. Default: none.
    /// - Returns: The value, or `nil` if no cookie matches. Matching cookies left out by name also count as used.
    public func fieldValue(for target: TargetURI, except names: Set<String> = []) -> String? {
        fieldValue(for: target, except: names, isDirect: true)
    }

    /// Returns the same value. `isDirect` tells whether a connection to a loopback host stays on this machine.
    func fieldValue(for target: TargetURI, except names: Set<String>, isDirect: @autoclosure () -> Bool) -> String? {
        guard table.withLock({ !$0.isEmpty }) else { return nil }
        let now = time.wallClock
        let isDirect = isDirect()
        return table.withLock { $0.fieldValue(for: target, at: now, except: names, isDirect: isDirect) }
    }

    /// Returns the field of all cookies for a request, or `nil` if there are none. Updates their `lastAccessed`.
    ///
    /// `isDirect` tells whether a connection to a loopback host stays on this machine.
    func field(for target: TargetURI, isDirect: @autoclosure () -> Bool = true) -> HTTPField? {
        // An empty jar does not even read the clock.
        guard table.withLock({ !$0.isEmpty }) else { return nil }
        let now = time.wallClock
        let isDirect = isDirect()
        return table.withLock { $0.field(for: target, at: now, isDirect: isDirect) }
    }

    // MARK: Writing

    /// Stores the cookies that a response sets.
    ///
    /// Ignores invalid or unacceptable cookies, as RFC 6265bis requires.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response. Those other than `Set-Cookie` are ignored.
    ///   - target: The target of the request.
    public func receive(_ fields: HTTPFields, from target: TargetURI) {
        receive(fields, from: target, isDirect: true)
    }

    /// Stores the same cookies. `isDirect` tells whether a connection to a loopback host stays on this machine.
    func receive(_ fields: HTTPFields, from target: TargetURI, isDirect: Bool) {
        guard fields.contains(.setCookie) else { return }
        for field in fields[fields: .setCookie] {
            let bytes = field.withUnsafeBytesOfValue { Array($0) }
            try? take(bytes, from: target, isDirect: isDirect)
        }
    }

    /// Stores the cookie of one `Set-Cookie` field.
    ///
    /// - Parameters:
    ///   - field: The value of the field.
    ///   - target: The target of the request whose response had the field.
    /// - Throws: `ApusError` with the code `invalidField` and the reason, if the cookie is rejected.
    public func receive(setCookie field: String, from target: TargetURI) throws(ApusError) {
        do throws(CookieRefusal) {
            try take(Array(field.utf8), from: target, isDirect: true)
        } catch {
            throw error.error(of: target.origin.host)
        }
    }

    private func take(_ field: [UInt8], from target: TargetURI, isDirect: Bool) throws(CookieRefusal) {
        let now = time.wallClock
        let cookie = try Cookie(receiving: field, from: target, at: now, limits: limits, isDirect: isDirect)
        guard policy.wants(cookie, from: target) else { throw .policy }
        let registrable = Self.registrable(cookie.domain)
        let mayOverlay = cookie.isSecure || CookieScope.isSecure(target.origin, isDirect: isDirect)
        let isTaken = changing { [limits] table in
            if !mayOverlay, table.hasSecure(overlaidBy: cookie, registrable: registrable) { return false }
            table.insert(cookie, registrable: registrable, at: now, limits: limits)
            return true
        }
        guard isTaken else { throw .overlaysSecureCookie }
    }

    /// Stores a cookie regardless of the policy. Replaces one of the same name, domain and path, keeping its date.
    ///
    /// - Parameter cookie: The cookie. An expired one removes the stored cookie.
    /// - Throws: `ApusError` with the code `invalidField` if it applies to all hosts of a public suffix.
    public func set(_ cookie: Cookie) throws(ApusError) {
        if !cookie.isHostOnly, PublicSuffixList.embedded.isPublicSuffix(cookie.domain) {
            throw CookieRefusal.publicSuffix.error(of: cookie.domain)
        }
        let now = time.wallClock
        let registrable = Self.registrable(cookie.domain)
        changing { [limits] in $0.insert(cookie, registrable: registrable, at: now, limits: limits) }
    }

    /// Removes the cookies for which a closure returns `true`.
    ///
    /// - Parameter isUnwanted: Whether to remove a cookie. Called for the cookies stored now. A cookie that is set
    ///   again during the calls is kept.
    public func remove(where isUnwanted: (Cookie) -> Bool) {
        let now = time.wallClock
        // Called without the lock, because it is user code.
        let unwanted = Set(table.withLock { $0.entries(at: now) }.filter { isUnwanted($0.cookie) }.map(\.stamp))
        guard !unwanted.isEmpty else { return }
        changing { $0.remove { unwanted.contains($0.stamp) } }
    }

    /// Removes all cookies.
    public func removeAll() {
        changing { $0.remove { _ in true } }
    }

    /// Removes expired cookies, to free memory. They are never sent in any case.
    public func removeExpired() {
        let now = time.wallClock
        changing { $0.remove { $0.cookie.isExpired(at: now) } }
    }

    /// Removes the cookies without an expiration, as a browser does when it closes.
    public func removeSessionCookies() {
        changing { $0.remove { !$0.cookie.isPersistent } }
    }

    /// Writes the cookies to the jar's file and returns when they are on disk. Does nothing without a file.
    ///
    /// - Throws: `ApusError` with the code `fileUnwritable`. The previous file is then unchanged.
    ///
    /// ## Cancellation
    /// Cancelling the task has no effect.
    public func save() async throws(ApusError) {
        try await saver?.save { [self] in cookies }
    }

    /// The error of the last attempt to write the file, or `nil` if it succeeded.
    ///
    /// After a failed automatic write, the next change tries again.
    public var savingFailure: ApusError? { saver?.failure }

    /// Waits until pending automatic writes are complete. For tests.
    func waitForSaving() async { await saver?.wait() }

    // MARK: Implementation

    private func restore(_ cookies: [Cookie]) {
        let now = time.wallClock
        let knowsDates = file?.format != .netscape
        table.withLock { [limits] table in
            for cookie in cookies {
                // The domain may have become a public suffix since the file was written.
                if !cookie.isHostOnly, PublicSuffixList.embedded.isPublicSuffix(cookie.domain) { continue }
                var cookie = cookie
                if !knowsDates {
                    cookie.created = now
                    cookie.lastAccessed = now
                }
                table.insert(cookie, registrable: Self.registrable(cookie.domain), at: now, limits: limits)
            }
        }
    }

    @discardableResult
    private func changing<Result: Sendable>(_ change: (inout CookieTable) -> Result) -> Result {
        let (result, isChanged) = table.withLock { table in
            let before = table.changes
            let result = change(&table)
            return (result, table.changes != before)
        }
        if isChanged { saver?.schedule { [self] in cookies } }
        return result
    }

    /// Returns the key for a cookie's domain: the registrable domain, or the host itself.
    private static func registrable(_ domain: String) -> String {
        PublicSuffixList.embedded.registrableDomain(of: domain) ?? domain
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// The number of cookies, without their data.
    public var description: String { "CookieJar(\(table.withLock { $0.count }) cookies)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
