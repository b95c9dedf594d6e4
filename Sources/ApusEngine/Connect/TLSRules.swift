internal import ApusCore

/// The trust and the settings of TLS of requests. A class, since they are compared for each request: those of most
/// requests are the same object.
final class TLSRules: Sendable, Hashable {
    let trust: ServerTrust
    let tls: TLSSettings
    private let digest: Int

    init(trust: ServerTrust, tls: TLSSettings = TLSSettings()) {
        self.trust = trust
        self.tls = tls
        var hasher = Hasher()
        hasher.combine(trust)
        hasher.combine(tls)
        self.digest = hasher.finalize()
    }

    static func == (one: TLSRules, other: TLSRules) -> Bool {
        one === other || one.digest == other.digest && one.tls == other.tls && one.trust == other.trust
    }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
