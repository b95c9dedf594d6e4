internal import ApusCore
internal import Foundation
internal import NIOCore

/// The HTTP/2 connections of an engine that may be lent to other origins: those over TLS whose server has a verified
/// certificate.
///
/// Another origin borrows a connection if the certificate names its host, if the connection's address is among its
/// addresses, and if both have the same trust, settings of TLS and rules of addresses. An evaluator of the user's may
/// decide differently for each host, so its connections are not lent. https://www.rfc-editor.org/rfc/rfc9113.html#section-9.1.1
final class CoalescableConnections: Sendable {
    /// A connection that may be lent.
    final class Entry: Sendable {
        let connection: Int
        let route: Route
        let engineLoop: EngineLoop
        fileprivate let key: Key
        private let names: TLSDNSNames
        /// The period in which the certificate is valid.
        private let validity: ClosedRange<Date>

        /// Creates an entry for a connection. `nil` if it must not be lent.
        init?(_ connection: Int, _ setup: ConnectionSetup) {
            guard setup.route.proxy == nil, let security = setup.route.security, security.trust.evaluator == nil,
                security.tls.verifiedName == nil, let certificate = setup.certificate,
                let address = setup.channel?.remoteAddress
            else { return nil }
            self.connection = connection
            self.route = setup.route
            self.engineLoop = setup.engine.bound
            self.key = Key(address: address, security: security, network: setup.route.network)
            self.names = TLSDNSNames(certificate.names)
            let begin = certificate.notValidBefore
            self.validity = begin...max(begin, certificate.notValidAfter)
        }

        /// Whether the certificate names a host and is still valid.
        fileprivate func covers(_ host: String) -> Bool {
            names.contains(host) && validity.contains(Date())
        }
    }

    fileprivate struct Key: Hashable, Sendable {
        let address: SocketAddress
        let security: TLSSecurity
        let network: NetworkRules?
    }

    private let entries = Lock<[Key: [Entry]]>([:])

    func add(_ entry: Entry) {
        entries.withLock { $0[entry.key, default: []].append(entry) }
    }

    func remove(_ entry: Entry) {
        entries.withLock { entries in
            guard var others = entries[entry.key] else { return }
            others.removeAll { $0 === entry }
            entries[entry.key] = others.isEmpty ? nil : others
        }
    }

    /// Whether requests to a host may borrow a connection, as far as that is known without its addresses.
    ///
    /// - Parameters:
    ///   - host: The host, without a trailing dot.
    ///   - security: The settings of TLS of its route.
    ///   - route: The route of the requests, whose own connections are left out. Its rules of addresses count.
    /// - Returns: Whether a lookup can lead to a connection to borrow.
    func mayServe(_ host: String, security: TLSSecurity, excluding route: Route) -> Bool {
        let candidates: [Entry] = entries.withLock { entries in
            entries.filter { $0.key.security == security && $0.key.network == route.network }.flatMap { $0.value }
        }
        return candidates.contains { $0.route != route && $0.covers(host) }
    }

    /// Returns the connections that may be lent for requests to a host.
    ///
    /// - Parameters:
    ///   - host: The host, without a trailing dot.
    ///   - addresses: Its addresses, with the port.
    ///   - security: The settings of TLS of its route.
    ///   - route: The route of the requests, whose own connections are left out. Its rules of addresses count.
    /// - Returns: The connections, in the order of the addresses.
    func entries(
        for host: String,
        at addresses: [SocketAddress],
        security: TLSSecurity,
        excluding route: Route
    ) -> [Entry] {
        let candidates = entries.withLock { entries in
            entries.isEmpty
                ? []
                : addresses.flatMap {
                    entries[Key(address: $0, security: security, network: route.network)] ?? []
                }
        }
        return candidates.filter { $0.route != route && $0.covers(host) }
    }
}
