public import ApusCore
public import Foundation
package import HTTPTypes
internal import Synchronization

/// The hosts that have asked to be requested over https only (HTTP Strict Transport Security).
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.hsts = .store(try HSTSStore(file: folder.appending(path: "hsts.txt")))
/// ```
///
/// A store is kept in memory, and optionally in a file in curl's format. It can be shared by sessions. IP addresses never
/// have an entry.
///
/// Browsers are shipped with a list of hosts (the preload list). Apus has none, so the first request to a host counts on
/// its URL.
///
/// See RFC 6797 §8, https://www.rfc-editor.org/rfc/rfc6797.html#section-8
public final class HSTSStore: Sendable {
    /// The maximum number of hosts. Beyond it, the entry that ends first is removed.
    public let limit: Int
    /// The location of the store's file, or `nil` if it is kept in memory alone.
    public var file: URL? { saver?.file.url }

    private let time: any SessionClock
    private let saver: HSTSSaver?
    private let table: Lock<HSTSTable>
    /// Whether the table is empty, for requests that would otherwise take the lock in vain.
    private let hasNoEntries = Atomic(true)

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of hosts, at least 1. Default: 10,000.
    ///   - time: The clock that decides when entries end. Default: the system clock.
    public convenience init(limit: Int = 10_000, time: any SessionClock = SystemClock()) {
        self.init(limit: limit, time: time, saver: nil)
    }

    /// Creates a store from a file in curl's format, and saves its changes there within a second.
    ///
    /// A missing file counts as empty. The store writes a complete new file and then renames it, so that readers find
    /// either the old file or the new one. The file is readable only by its owner. Reading it blocks. A policy that a
    /// server only repeats is written at most once a minute.
    ///
    /// - Parameters:
    ///   - file: The location of the file. Its folder must exist.
    ///   - limit: The maximum number of hosts, at least 1 and that of the file. Default: 10,000.
    ///   - time: The clock that decides when entries end. Default: the system clock.
    /// - Throws: `ApusError` with the code `fileUnreadable` if the file exists but cannot be read or parsed. The file
    ///   is not changed.
    public convenience init(
        file: URL,
        limit: Int = 10_000,
        time: any SessionClock = SystemClock()
    ) throws(ApusError) {
        let file = HSTSFile(url: file)
        let kept = try file.read()
        // No entry of the file is lost, even if there are more than the limit.
        self.init(limit: max(limit, kept.count), time: time, saver: HSTSSaver(file))
        let now = time.wallClock
        table.withLock { table in
            // If a host has several lines, the one that ends last counts, as in curl.
            for entry in kept.sorted(by: { $0.expires < $1.expires }) { _ = table.insert(entry, at: now) }
            hasNoEntries.store(table.isEmpty, ordering: .releasing)
        }
    }

    init(limit: Int, time: any SessionClock, saver: HSTSSaver?) {
        let limit = max(limit, 1)
        self.limit = limit
        self.time = time
        self.saver = saver
        self.table = Lock(HSTSTable(limit: limit))
    }

    // MARK: Reading

    /// Whether it has no entries, including ended ones.
    var isEmpty: Bool { hasNoEntries.load(ordering: .acquiring) }

    /// All entries that have not ended, by host.
    public var entries: [HSTSEntry] {
        let now = time.wallClock
        return table.withLock { $0.entries(at: now) }
    }

    /// Returns the entry that applies to a host: its own, or one of a host above it that includes subdomains.
    ///
    /// - Parameter host: A host name, in any letter case. `nil` is returned for an IP address.
    /// - Returns: The entry, or `nil` if the host may be requested over http.
    public func entry(forHost host: String) -> HSTSEntry? {
        // An empty store does not even read the clock.
        guard !isEmpty, let host = NormalizedHost(host), !host.isAddress else { return nil }
        let now = time.wallClock
        return table.withLock { $0.entry(for: host.text, at: now) }
    }

    /// Returns the target over https that replaces one over http.
    ///
    /// Port 80 becomes 443. Any other port is kept.
    ///
    /// - Parameter target: The target of a request.
    /// - Returns: The target over https. `nil` if no entry applies to its host, or if its scheme is https.
    public func upgrade(_ target: TargetURI) -> TargetURI? {
        let origin = target.origin
        guard origin.scheme == .http, entry(forHost: origin.host) != nil else { return nil }
        let secure = Origin(scheme: .https, host: origin.host, port: origin.port == 80 ? 443 : origin.port)
        return TargetURI(origin: secure, path: target.path, userInformation: target.userInformation)
    }

    // MARK: Writing

    /// Adds or replaces the entry of a host.
    ///
    /// - Parameters:
    ///   - host: The host name.
    ///   - includesSubdomains: Whether it applies to all hosts below it too. Default: `false`.
    ///   - age: How long the entry lasts. `nil` for no end. Zero or less removes it. Default: `nil`.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if it is no host name.
    public func set(
        _ host: String,
        includesSubdomains: Bool = false,
        for age: Duration? = nil
    ) throws(ApusError) {
        guard let normalized = NormalizedHost(host), !normalized.isAddress else {
            throw ApusError(.invalidConfiguration, "'\(Redaction.text(host))' is no host name")
        }
        let now = time.wallClock
        let entry = HSTSEntry(
            normalized: normalized.text,
            includesSubdomains: includesSubdomains,
            expires: age.map { now + $0.inSeconds } ?? .distantFuture
        )
        changing { $0.insert(entry, at: now) }
    }

    /// Takes the policy of a response, or removes that of its host if its `max-age` is 0.
    ///
    /// It is ignored if the target is not https, if its host is an IP address, or if the field is malformed. Only the
    /// first field counts. An age of more than ten years counts as ten.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response. Those other than `Strict-Transport-Security` are ignored.
    ///   - target: The target of the response. The certificate of its server must have been verified.
    package func receive(_ fields: HTTPFields, from target: TargetURI) {
        guard target.origin.scheme == .https,
            let field = fields[fields: .strictTransportSecurity].first,
            let policy = StrictTransportSecurity(field.withUnsafeBytesOfValue { Array($0) }),
            let host = NormalizedHost(target.origin.host), !host.isAddress
        else { return }
        let now = time.wallClock
        let entry = HSTSEntry(
            normalized: host.text,
            includesSubdomains: policy.includesSubdomains,
            expires: now + Double(policy.maxAge)
        )
        changing { $0.insert(entry, at: now) }
    }

    /// Removes the entry of a host, so that it may be requested over http again, unless one of a host above applies.
    ///
    /// - Parameter host: The host name.
    public func remove(_ host: String) {
        guard let host = NormalizedHost(host) else { return }
        changing { $0.remove(host.text) }
    }

    /// Removes all entries.
    public func removeAll() {
        changing { $0.removeAll() }
    }

    /// Writes the entries to the store's file and returns when they are on disk. Does nothing without a file.
    ///
    /// - Throws: `ApusError` with the code `fileUnwritable`. The previous file is then unchanged.
    ///
    /// ## Cancellation
    /// Cancelling the task has no effect.
    public func save() async throws(ApusError) {
        try await saver?.save { [self] in entries }
    }

    /// The error of the last attempt to write the file, or `nil` if it succeeded.
    ///
    /// After a failed automatic write, the next change tries again.
    public var savingFailure: ApusError? { saver?.failure }

    /// Changes the table. `change` returns whether the file is due to be written.
    private func changing(_ change: (inout HSTSTable) -> Bool) {
        let isDue = table.withLock { table in
            defer { hasNoEntries.store(table.isEmpty, ordering: .releasing) }
            return change(&table)
        }
        if isDue { saver?.schedule { [self] in entries } }
    }
}

extension HSTSStore: CustomStringConvertible {
    /// The number of entries.
    public var description: String { "HSTSStore(\(table.withLock { $0.count }) hosts)" }
}
