internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// The storage of a jar, as a value type. Selects the cookies for a request and evicts cookies.
///
/// Cookies are grouped by registrable domain and sorted in the order in which they are sent. A request looks up its
/// host and the domains above it, usually two or three, of which at most one has cookies. A lookup without a result
/// allocates nothing.
///
/// See RFC 6265bis §5.7 and §5.8, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-5.7
struct CookieTable {
    struct Entry {
        var cookie: Cookie
        /// The creation number, which orders cookies of the same creation date.
        let number: UInt64
        /// Identifies this entry, as opposed to one that replaces it.
        let stamp: UInt64
        /// The name and value as written to a field, computed once.
        let pair: String
        /// Whether the current field includes the cookie.
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
    /// Increases with each change to the saved cookies.
    private(set) var changes = 0
    private var nextNumber: UInt64 = 0
    private var fields = CookieFields()
    private let keepsSessionCookies: Bool

    /// - Parameter keepsSessionCookies: Whether changes to session cookies count, because they are saved too.
    init(keepsSessionCookies: Bool = false) {
        self.keepsSessionCookies = keepsSessionCookies
    }

    var isEmpty: Bool { count == 0 }

    /// Returns all cookies that have not expired, in order of creation.
    mutating func cookies(at date: Date) -> [Cookie] { entries(at: date).map(\.cookie) }

    /// Returns the same cookies as entries.
    mutating func entries(at date: Date) -> [Entry] {
        noteUses()
        return domains.values.joined().filter { !$0.cookie.isExpired(at: date) }.sorted { $0.number < $1.number }
    }

    // MARK: Lookup

    /// Returns the cookies for a request, in the order in which they are sent.
    mutating func cookies(for target: borrowing TargetURI, at date: Date, isDirect: Bool = true) -> [Cookie] {
        noteUses()
        let request = CookieRequest(target, isDirect: isDirect)
        var found: [Entry] = []
        var rest = names(of: request.host)
        while let domain = nextDomain(in: &rest) {
            found += domains.values[domain].filter { $0.cookie.matches(request, at: date) }
        }
        return found.sorted(by: Self.isBefore).map(\.cookie)
    }

    /// Returns the field for a request, or `nil` if no cookie matches. Records the use of its cookies.
    ///
    /// - Parameters:
    ///   - target: The target of the request.
    ///   - date: The current time.
    ///   - isDirect: Whether a connection to a loopback host stays on this machine. Default: `true`.
    /// - Returns: The field, or `nil`.
    mutating func field(for target: borrowing TargetURI, at date: Date, isDirect: Bool = true) -> HTTPField? {
        // The cached fields are those of direct connections, and may have secure cookies.
        if isDirect, let field = fields.field(for: target, at: date) { return field }
        noteUses()
        guard let (value, domain) = write(for: target, at: date, except: [], isDirect: isDirect) else { return nil }
        let field = HTTPField(name: .cookie, value: value)
        if isDirect, let domain { keep(field, for: target, of: domain) }
        return field
    }

    /// Returns the value for a request without the named cookies, or `nil` if no cookie matches. Records the use of all
    /// matching cookies.
    mutating func fieldValue(
        for target: borrowing TargetURI,
        at date: Date,
        except names: Set<String>,
        isDirect: Bool = true
    ) -> String? {
        noteUses()
        return write(for: target, at: date, except: names, isDirect: isDirect)?.value
    }

    /// Returns the value, and the domain of its cookies if there is only one. Marks these cookies as carried.
    private mutating func write(
        for target: borrowing TargetURI,
        at date: Date,
        except names: Set<String>,
        isDirect: Bool
    ) -> (value: String, domain: Dictionary<Substring, [Entry]>.Index?)? {
        let request = CookieRequest(target, isDirect: isDirect)
        var used: Dictionary<Substring, [Entry]>.Index?
        var hasSeveral = false
        var byteCount = 0
        var rest = self.names(of: request.host)
        while let domain = nextDomain(in: &rest) {
            // Modified in place, because copying a cookie would cost more than this work.
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
            // Only user code can cause this: servers cannot set cookies under two registrable domains of one host.
            let matching = cookies(for: target, at: date, isDirect: isDirect)
            let pairs = matching.filter { !names.contains($0.name) }.map(\.pair)
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

    /// Whether the cookies for a host depend on the path.
    private func hasPaths(for host: String) -> Bool {
        var rest = names(of: host)
        while let domain = nextDomain(in: &rest) {
            if domains.values[domain].contains(where: { $0.cookie.path != "/" }) { return true }
        }
        return false
    }

    /// Stores the recorded uses in the cookies.
    private mutating func noteUses() {
        for (field, date) in fields.takeUses() {
            for entry in field.entries { domains[field.domain]?[entry].cookie.lastAccessed = date }
        }
    }

    /// Clears the cached fields before the cookies change.
    private mutating func forgetFields() {
        noteUses()
        fields.forget()
    }

    /// Marks the cookies that a request carries.
    ///
    /// - Returns: The total length of their pairs in bytes, each with a separator.
    private static func use(
        _ entries: UnsafeMutableBufferPointer<Entry>,
        for request: CookieRequest,
        at date: Date,
        except names: Set<String>
    ) -> Int {
        var count = 0
        for index in entries.indices {
            entries[index].isCarried = entries[index].cookie.matches(request, at: date)
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

    /// Returns the longest name of a host. `nextDomain` then derives the shorter names of its parent domains from it.
    private func names(of host: String) -> Substring? {
        isEmpty || host.utf8.count > CookieScope.longestHost ? nil : host[...]
    }

    /// Returns the next name that has cookies.
    private func nextDomain(in names: inout Substring?) -> Dictionary<Substring, [Entry]>.Index? {
        while let name = names {
            let dot = name.utf8.firstIndex(of: UInt8(ascii: "."))
            names = dot.map { name[name.utf8.index(after: $0)...] }
            if let index = domains.index(forKey: name) { return index }
        }
        return nil
    }

    /// Orders by longest path first, then oldest first.
    private static func isBefore(_ one: Entry, _ other: Entry) -> Bool {
        let lengths = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
        if lengths.0 != lengths.1 { return lengths.0 > lengths.1 }
        if one.cookie.created != other.cookie.created { return one.cookie.created < other.cookie.created }
        return one.number < other.number
    }

    // MARK: Insertion and removal

    /// Returns whether a cookie from an insecure connection would hide a secure one: RFC 6265bis §5.7, step 16.
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

    /// Stores a cookie in place of one of the same name, domain and path. An expired one only removes that.
    mutating func insert(_ cookie: Cookie, registrable: String, at date: Date, limits: CookieLimits) {
        forgetFields()
        var cookie = cookie
        let isEnding = cookie.isExpired(at: date)
        // Removed from the dictionary, so that the array is not copied when it changes.
        var entries = domains.removeValue(forKey: registrable[...]) ?? []
        let before = entries.count
        let stamp = nextNumber
        var number = stamp
        nextNumber += 1
        if let old = entries.firstIndex(where: { $0.cookie.isSame(as: cookie) }) {
            // Servers may rely on the original position in the order.
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

    /// Returns the cookie to evict from a domain over its limit: non-secure first, then least recently used.
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

    /// Evicts expired cookies, then the least recently used of any domain.
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

    /// Removes the entries that match.
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
    /// Whether a jar stores only one of the two: both have the same name, domain, host-only flag and path.
    func isSame(as other: Cookie) -> Bool {
        hasName(of: other) && domain == other.domain && isHostOnly == other.isHostOnly
            && path.utf8.elementsEqual(other.path.utf8)
    }

    /// Compares bytes, because canonically equivalent strings are different names to a server.
    fileprivate func hasName(of other: Cookie) -> Bool { name.utf8.elementsEqual(other.name.utf8) }

    fileprivate func matches(_ request: CookieRequest, at date: Date) -> Bool {
        if isSecure && !request.isSecure || isExpired(at: date) { return false }
        let isForHost = isHostOnly ? domain == request.host : CookieScope.host(request.host, matches: domain)
        return isForHost && CookieScope.path(request.path, matches: path)
    }

    /// The name and value as written to a field.
    fileprivate var pair: String { name.isEmpty ? value : "\(name)=\(value)" }
}

/// The parts of a request that determine its cookies.
private struct CookieRequest {
    let host: String
    let path: Substring.UTF8View
    let isSecure: Bool

    init(_ target: borrowing TargetURI, isDirect: Bool) {
        self.host = target.origin.host
        self.path = CookieScope.path(of: target)
        self.isSecure = CookieScope.isSecure(target.origin, isDirect: isDirect)
    }
}
