public import ApusCore
internal import Foundation
public import HTTPTypes

/// The cookies of a session, or of several that share it.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.cookies = .jar(CookieJar())
/// let session = Session(configuration: configuration)
/// ```
///
/// It lives in memory, or in a file, too: see `CookieFile`. Session cookies, those without an end, stay in it until
/// `removeSessionCookies()`, or until it goes away.
///
/// See RFC 6265bis §5.7 and §5.8, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-5.7
public final class CookieJar: Sendable {
    /// The bounds on what servers can make it hold.
    public let limits: CookieLimits
    /// Which of the cookies that servers set it takes.
    public let policy: CookieAcceptPolicy
    /// Where it is kept besides; `nil` means nowhere.
    public var file: CookieFile? { saver?.file }

    let time: any RequestTime
    private let saver: CookieSaver?
    private let table: Lock<CookieTable>

    /// Makes an empty jar.
    ///
    /// - Parameters:
    ///   - limits: The bounds on what servers can make it hold; the defaults by default.
    ///   - policy: Which of the cookies that servers set it takes; all by default.
    ///   - time: The clock by which cookies end; the machine's by default.
    public convenience init(
        limits: CookieLimits = CookieLimits(),
        policy: CookieAcceptPolicy = .all,
        time: any RequestTime = SystemTime()
    ) {
        self.init(limits: limits, policy: policy, time: time, saver: nil)
    }

    /// Makes a jar of what a file has, and keeps it there.
    ///
    /// A file that does not exist yet is an empty jar. Reading it blocks.
    ///
    /// - Parameters:
    ///   - file: Where the cookies are kept.
    ///   - limits: The bounds on what servers can make it hold; the defaults by default.
    ///   - policy: Which of the cookies that servers set it takes; all by default.
    ///   - time: The clock by which cookies end; the machine's by default.
    /// - Throws: `ApusError` with the code `fileUnreadable` where there is a file that can't be read, or that is not what
    ///   was written; it is left as it is.
    public convenience init(
        file: CookieFile,
        limits: CookieLimits = CookieLimits(),
        policy: CookieAcceptPolicy = .all,
        time: any RequestTime = SystemTime()
    ) throws(ApusError) {
        let kept = try file.read()
        self.init(limits: limits, policy: policy, time: time, saver: CookieSaver(file))
        restore(kept)
    }

    init(limits: CookieLimits, policy: CookieAcceptPolicy, time: any RequestTime, saver: CookieSaver?) {
        self.limits = limits
        self.policy = policy
        self.time = time
        self.saver = saver
        self.table = Lock(CookieTable(keepsSessionCookies: saver?.file.keepsSessionCookies ?? false))
    }

    // MARK: Reading

    /// All cookies that have not expired, in the order in which they were made.
    public var cookies: [Cookie] {
        let now = time.wallClock
        return table.withLock { $0.cookies(at: now) }
    }

    /// The cookies that a request would carry, in its order: those of the longest path first, then the oldest.
    ///
    /// - Parameter target: What would be requested.
    /// - Returns: The cookies; they do not count as used.
    public func cookies(for target: TargetURI) -> [Cookie] {
        let now = time.wallClock
        return table.withLock { $0.cookies(for: target, at: now) }
    }

    /// The value of the `Cookie` field that a request carries.
    ///
    /// - Parameters:
    ///   - target: What is requested.
    ///   - names: Names of cookies that are left out; none by default.
    /// - Returns: The value; `nil` where no cookie is for the request. Those that are count as used now.
    public func fieldValue(for target: TargetURI, except names: Set<String> = []) -> String? {
        guard table.withLock({ !$0.isEmpty }) else { return nil }
        let now = time.wallClock
        return table.withLock { $0.fieldValue(for: target, at: now, except: names) }
    }

    /// The field of all cookies that a request carries; `nil` where there are none. They count as used now.
    func field(for target: TargetURI) -> HTTPField? {
        // An empty jar costs a look, and not even the time.
        guard table.withLock({ !$0.isEmpty }) else { return nil }
        let now = time.wallClock
        return table.withLock { $0.field(for: target, at: now) }
    }

    // MARK: Writing

    /// Takes the cookies that a response sets.
    ///
    /// What is not to be taken is passed over, as RFC 6265bis wants it.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response; those that are no `Set-Cookie` do not matter.
    ///   - target: What was requested.
    public func receive(_ fields: HTTPFields, from target: TargetURI) {
        guard fields.contains(.setCookie) else { return }
        for field in fields[fields: .setCookie] {
            let bytes = field.withUnsafeBytesOfValue { Array($0) }
            try? take(bytes, from: target)
        }
    }

    /// Takes the cookie of one `Set-Cookie` field.
    ///
    /// - Parameters:
    ///   - field: The value of the field.
    ///   - target: What was requested when it came.
    /// - Throws: `ApusError` with the code `invalidField`, saying why the cookie is not taken.
    public func receive(setCookie field: String, from target: TargetURI) throws(ApusError) {
        do throws(CookieRefusal) {
            try take(Array(field.utf8), from: target)
        } catch {
            throw error.error(of: target.origin.host)
        }
    }

    private func take(_ field: [UInt8], from target: TargetURI) throws(CookieRefusal) {
        let now = time.wallClock
        let cookie = try Cookie(receiving: field, from: target, at: now, limits: limits)
        guard policy.wants(cookie, from: target) else { throw .policy }
        let registrable = Self.registrable(cookie.domain)
        let mayOverlay = cookie.isSecure || CookieScope.isSecure(target.origin)
        let isTaken = changing { [limits] table in
            if !mayOverlay, table.hasSecure(overlaidBy: cookie, registrable: registrable) { return false }
            table.insert(cookie, registrable: registrable, at: now, limits: limits)
            return true
        }
        guard isTaken else { throw .overlaysSecureCookie }
    }

    /// Puts a cookie in, whatever the policy says; one of the same name, domain and path goes, and keeps its date.
    ///
    /// - Parameter cookie: The cookie; one that has expired takes away the one that is there.
    /// - Throws: `ApusError` with the code `invalidField` where it is for all hosts of a public suffix.
    public func set(_ cookie: Cookie) throws(ApusError) {
        if !cookie.isHostOnly, PublicSuffixList.embedded.isPublicSuffix(cookie.domain) {
            throw CookieRefusal.publicSuffix.error(of: cookie.domain)
        }
        let now = time.wallClock
        let registrable = Self.registrable(cookie.domain)
        changing { [limits] in $0.insert(cookie, registrable: registrable, at: now, limits: limits) }
    }

    /// Takes out the cookies that a function names.
    ///
    /// - Parameter isUnwanted: Whether a cookie has to go. It is asked about those that are there now; one that is set anew
    ///   meanwhile stays.
    public func remove(where isUnwanted: (Cookie) -> Bool) {
        let now = time.wallClock
        // Asked outside of the lock: it is code of the user's.
        let unwanted = Set(table.withLock { $0.entries(at: now) }.filter { isUnwanted($0.cookie) }.map(\.stamp))
        guard !unwanted.isEmpty else { return }
        changing { $0.remove { unwanted.contains($0.stamp) } }
    }

    /// Takes out all cookies.
    public func removeAll() {
        changing { $0.remove { _ in true } }
    }

    /// Takes out what has expired. It is never sent; this makes room.
    public func removeExpired() {
        let now = time.wallClock
        changing { $0.remove { $0.cookie.isExpired(at: now) } }
    }

    /// Takes out the cookies without an end, as a browser does when it is closed.
    public func removeSessionCookies() {
        changing { $0.remove { !$0.cookie.isPersistent } }
    }

    /// Writes the cookies into the file of the jar, and returns when they are on the disk. Without a file, nothing.
    ///
    /// - Throws: `ApusError` with the code `fileUnwritable`; what was in the file before is still there.
    ///
    /// ## Cancellation
    /// Cancelling the task changes nothing.
    public func save() async throws(ApusError) {
        try await saver?.save { [self] in cookies }
    }

    /// Why the jar was not written when that was tried last; `nil` where it was.
    ///
    /// A write of its own that fails is tried again with the next change.
    public var savingFailure: ApusError? { saver?.failure }

    /// Waits until what was to be saved by itself is, for tests.
    func waitForSaving() async { await saver?.wait() }

    // MARK: Within

    private func restore(_ cookies: [Cookie]) {
        let now = time.wallClock
        let knowsDates = file?.format != .netscape
        table.withLock { [limits] table in
            for cookie in cookies {
                // What was allowed when it was written may have become a public suffix.
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

    /// The domain under which a cookie lies: that of who registered it, or the host itself.
    private static func registrable(_ domain: String) -> String {
        PublicSuffixList.embedded.registrableDomain(of: domain) ?? domain
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// How many cookies there are, and no more.
    public var description: String { "CookieJar(\(table.withLock { $0.count }) cookies)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
