internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// The cookies of a jar, as a value: what is stored, what goes where, and what has to go.
///
/// They lie by registrable domain, each domain's in the order in which they are sent. A request looks up its host and
/// the domains above it, which are two or three; one of them at most has cookies for it. What nothing is found for
/// allocates nothing.
///
/// See RFC 6265bis §5.7 and §5.8, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-5.7
struct CookieTable {
    struct Entry {
        var cookie: Cookie
        /// Tells apart what was made at the same time.
        let number: UInt64
        /// Tells it apart from whatever takes its place.
        let stamp: UInt64
        /// As it stands in a field, made once.
        let pair: String
        /// Whether the request carries it whose field is being written.
        var isCarried = false

        init(_ cookie: Cookie, number: UInt64, stamp: UInt64) {
            self.cookie = cookie
            self.number = number
            self.stamp = stamp
            self.pair = cookie.pair
        }
    }

    private(set) var domains: [Substring: [Entry]] = [:]
    private(set) var count = 0
    /// Grows with each change of what is kept beyond the session.
    private(set) var changes = 0
    private var nextNumber: UInt64 = 0
    private var fields = CookieFields()
    private let keepsSessionCookies: Bool

    /// - Parameter keepsSessionCookies: Whether a change of cookies without an end counts.
    init(keepsSessionCookies: Bool = false) {
        self.keepsSessionCookies = keepsSessionCookies
    }

    var isEmpty: Bool { count == 0 }

    /// All that have not expired, in the order of their making.
    mutating func cookies(at date: Date) -> [Cookie] { entries(at: date).map(\.cookie) }

    /// The same with what tells them apart.
    mutating func entries(at date: Date) -> [Entry] {
        noteUses()
        return domains.values.joined().filter { !$0.cookie.isExpired(at: date) }.sorted { $0.number < $1.number }
    }

    // MARK: What goes to a host

    /// Those that a request carries, in the order in which it does.
    mutating func cookies(for target: borrowing TargetURI, at date: Date) -> [Cookie] {
        noteUses()
        let request = CookieRequest(target)
        var found: [Entry] = []
        var rest = names(of: request.host)
        while let domain = nextDomain(in: &rest) {
            found += domains.values[domain].filter { $0.cookie.goes(with: request, at: date) }
        }
        return found.sorted(by: Self.isBefore).map(\.cookie)
    }

    /// The field that a request carries; `nil` where it carries none. The cookies in it are noted as used.
    mutating func field(for target: borrowing TargetURI, at date: Date) -> HTTPField? {
        if let field = fields.field(for: target, at: date) { return field }
        noteUses()
        guard let (value, domain) = write(for: target, at: date, except: []) else { return nil }
        let field = HTTPField(name: .cookie, value: value)
        if let domain { keep(field, for: target, of: domain) }
        return field
    }

    /// The field that a request carries, without the cookies of some names; `nil` where it carries none. Those that are
    /// for the request are noted as used.
    mutating func fieldValue(for target: borrowing TargetURI, at date: Date, except names: Set<String>) -> String? {
        noteUses()
        return write(for: target, at: date, except: names)?.value
    }

    /// The value of the field, and the domain whose cookies are marked as carried; `nil` where there are several.
    private mutating func write(
        for target: borrowing TargetURI,
        at date: Date,
        except names: Set<String>
    ) -> (value: String, domain: Dictionary<Substring, [Entry]>.Index?)? {
        let request = CookieRequest(target)
        var used: Dictionary<Substring, [Entry]>.Index?
        var hasSeveral = false
        var byteCount = 0
        var rest = self.names(of: request.host)
        while let domain = nextDomain(in: &rest) {
            // Counted where they lie: a copy of a cookie costs more than all that is done with it here.
            let count = domains.values[domain].withUnsafeMutableBufferPointer { entries in
                Self.use(entries, for: request, at: date, except: names)
            }
            guard count > 0 else { continue }
            hasSeveral = used != nil
            used = domain
            byteCount += count
        }
        guard let used else { return nil }
        guard !hasSeveral else {
            // Only where a program has put it there: no server sets cookies under two domains of one host.
            let pairs = cookies(for: target, at: date).filter { !names.contains($0.name) }.map(\.pair)
            return (pairs.joined(separator: "; "), nil)
        }
        let value = domains.values[used].withUnsafeBufferPointer { entries in
            String(unsafeUninitializedCapacity: byteCount) { Self.write(entries, to: $0) }
        }
        return (value, used)
    }

    private mutating func keep(
        _ field: HTTPField,
        for target: borrowing TargetURI,
        of domain: Dictionary<Substring, [Entry]>.Index
    ) {
        let entries = domains.values[domain]
        let carried = entries.indices.filter { entries[$0].isCarried }
        let path = CookieScope.path(of: target)
        let isForEveryPath = path.first == UInt8(ascii: "/") && !hasPaths(for: target.origin.host)
        fields.keep(
            CookieFields.Written(
                origin: target.origin,
                path: isForEveryPath ? nil : String(Substring(path)),
                field: field,
                domain: domains.keys[domain],
                entries: carried,
                end: carried.compactMap { entries[$0].cookie.expires }.min() ?? .distantFuture
            ),
            for: target
        )
    }

    /// Whether it depends on the path what goes to a host.
    private func hasPaths(for host: String) -> Bool {
        var rest = names(of: host)
        while let domain = nextDomain(in: &rest) {
            if domains.values[domain].contains(where: { $0.cookie.path != "/" }) { return true }
        }
        return false
    }

    /// Has the cookies know when they were sent.
    private mutating func noteUses() {
        for (field, date) in fields.takeUses() {
            for entry in field.entries { domains[field.domain]?[entry].cookie.lastAccessed = date }
        }
    }

    /// Cookies are about to change: what was written of them holds no longer.
    private mutating func forgetFields() {
        noteUses()
        fields.forget()
    }

    /// Notes which cookies a request carries.
    ///
    /// - Returns: The bytes of their pairs, each with what stands between it and the next.
    private static func use(
        _ entries: UnsafeMutableBufferPointer<Entry>,
        for request: CookieRequest,
        at date: Date,
        except names: Set<String>
    ) -> Int {
        var count = 0
        for index in entries.indices {
            entries[index].isCarried = entries[index].cookie.goes(with: request, at: date)
            guard entries[index].isCarried else { continue }
            entries[index].cookie.lastAccessed = date
            if !names.isEmpty, names.contains(entries[index].cookie.name) {
                entries[index].isCarried = false
            } else {
                count += entries[index].pair.utf8.count + 2
            }
        }
        return count
    }

    private static func write(
        _ entries: UnsafeBufferPointer<Entry>,
        to buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var end = 0
        for index in entries.indices where entries[index].isCarried {
            if end > 0 {
                buffer[end] = UInt8(ascii: ";")
                buffer[end + 1] = 0x20
                end += 2
            }
            end = buffer[end...].update(fromContentsOf: entries[index].pair.utf8)
        }
        return end
    }

    /// What a host and the domains above it are called: the longest name first, each a part of the one before.
    private func names(of host: String) -> Substring? {
        isEmpty || host.utf8.count > CookieScope.longestHost ? nil : host[...]
    }

    /// The next of the names that has cookies.
    private func nextDomain(in names: inout Substring?) -> Dictionary<Substring, [Entry]>.Index? {
        while let name = names {
            let dot = name.utf8.firstIndex(of: UInt8(ascii: "."))
            names = dot.map { name[name.utf8.index(after: $0)...] }
            if let index = domains.index(forKey: name) { return index }
        }
        return nil
    }

    /// The longest path first, then the oldest.
    private static func isBefore(_ one: Entry, _ other: Entry) -> Bool {
        let lengths = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
        if lengths.0 != lengths.1 { return lengths.0 > lengths.1 }
        if one.cookie.created != other.cookie.created { return one.cookie.created < other.cookie.created }
        return one.number < other.number
    }

    // MARK: What comes and goes

    /// Whether a cookie from a connection that is not secure would hide one that is: RFC 6265bis §5.7, step 16.
    func hasSecure(overlaidBy cookie: Cookie, registrable: String) -> Bool {
        let path = cookie.path[...].utf8
        return (domains[registrable[...]] ?? []).contains { entry in
            let old = entry.cookie
            return old.isSecure && old.hasName(of: cookie)
                && (CookieScope.host(old.domain, matches: cookie.domain)
                    || CookieScope.host(cookie.domain, matches: old.domain))
                && CookieScope.path(path, matches: old.path)
        }
    }

    /// Puts a cookie in, in place of the one of the same name, domain and path; one that has expired only takes that away.
    mutating func insert(_ cookie: Cookie, registrable: String, at date: Date, limits: CookieLimits) {
        forgetFields()
        var cookie = cookie
        let isEnding = cookie.isExpired(at: date)
        // Taken out, so that it is changed where it is.
        var entries = domains.removeValue(forKey: registrable[...]) ?? []
        let before = entries.count
        let stamp = nextNumber
        var number = stamp
        nextNumber += 1
        if let old = entries.firstIndex(where: { $0.cookie.isSame(as: cookie) }) {
            // An answer to it may rely on its place in the order.
            cookie.created = entries[old].cookie.created
            number = entries[old].number
            if isKept(cookie) || isKept(entries[old].cookie) { changes += 1 }
            entries.remove(at: old)
        } else if isKept(cookie), !isEnding {
            changes += 1
        }
        entries.removeAll { $0.cookie.isExpired(at: date) }
        if !isEnding {
            let entry = Entry(cookie, number: number, stamp: stamp)
            let place = entries.firstIndex { Self.isBefore(entry, $0) } ?? entries.endIndex
            entries.insert(entry, at: place)
        }
        while entries.count > limits.cookiesPerDomain, let last = Self.leastWanted(entries) {
            if isKept(entries.remove(at: last).cookie) { changes += 1 }
        }
        if !entries.isEmpty { domains[registrable[...]] = entries }
        count += entries.count - before
        if count > limits.cookies { evict(to: limits.cookies, at: date) }
    }

    /// The one of a domain that has too many that goes first: what is not secure, and then what was used least recently.
    private static func leastWanted(_ entries: [Entry]) -> Int? {
        entries.indices.min { one, other in
            let (one, other) = (entries[one], entries[other])
            if one.cookie.isSecure != other.cookie.isSecure { return !one.cookie.isSecure }
            return isLessRecent(one, other)
        }
    }

    private static func isLessRecent(_ one: Entry, _ other: Entry) -> Bool {
        if one.cookie.lastAccessed != other.cookie.lastAccessed {
            return one.cookie.lastAccessed < other.cookie.lastAccessed
        }
        return one.number < other.number
    }

    /// What has expired goes first, and then what was used least recently, whosever it is.
    private mutating func evict(to limit: Int, at date: Date) {
        remove { $0.cookie.isExpired(at: date) }
        while count > limit {
            let candidates = domains.lazy.compactMap { domain, entries in
                entries.indices.min { Self.isLessRecent(entries[$0], entries[$1]) }
                    .map { (domain: domain, index: $0, entry: entries[$0]) }
            }
            guard let oldest = candidates.min(by: { Self.isLessRecent($0.entry, $1.entry) }) else { return }
            domains[oldest.domain]?.remove(at: oldest.index)
            if domains[oldest.domain]?.isEmpty == true { domains[oldest.domain] = nil }
            count -= 1
            if isKept(oldest.entry.cookie) { changes += 1 }
        }
    }

    /// Takes out what a rule says.
    mutating func remove(where isUnwanted: (Entry) -> Bool) {
        forgetFields()
        for (domain, entries) in domains where entries.contains(where: isUnwanted) {
            let kept = entries.filter { !isUnwanted($0) }
            if entries.contains(where: { isKept($0.cookie) && isUnwanted($0) }) { changes += 1 }
            count -= entries.count - kept.count
            domains[domain] = kept.isEmpty ? nil : kept
        }
    }

    private func isKept(_ cookie: Cookie) -> Bool { cookie.isPersistent || keepsSessionCookies }
}

extension Cookie {
    /// Whether there is room for one of the two only.
    func isSame(as other: Cookie) -> Bool {
        hasName(of: other) && domain == other.domain && isHostOnly == other.isHostOnly
            && path.utf8.elementsEqual(other.path.utf8)
    }

    /// By bytes: letters that look the same, made of others, are another name to a server.
    fileprivate func hasName(of other: Cookie) -> Bool { name.utf8.elementsEqual(other.name.utf8) }

    fileprivate func goes(with request: CookieRequest, at date: Date) -> Bool {
        if isSecure && !request.isSecure || isExpired(at: date) { return false }
        let isForHost = isHostOnly ? domain == request.host : CookieScope.host(request.host, matches: domain)
        return isForHost && CookieScope.path(request.path, matches: path)
    }

    /// As it stands in a field.
    fileprivate var pair: String { name.isEmpty ? value : "\(name)=\(value)" }
}

/// What of a request decides about its cookies.
private struct CookieRequest {
    let host: String
    let path: Substring.UTF8View
    let isSecure: Bool

    init(_ target: borrowing TargetURI) {
        self.host = target.origin.host
        self.path = CookieScope.path(of: target)
        self.isSecure = CookieScope.isSecure(target.origin)
    }
}
