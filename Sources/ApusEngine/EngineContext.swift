internal import ApusCore
internal import NIOCore
internal import Synchronization

/// The state that all event loops of an engine share.
final class EngineContext: Sendable {
    let configuration: SessionConfiguration
    let counters: LiveCounters
    let permits: ConnectionPermits
    let resolver: any HostResolver
    let dialer: Dialer
    /// The session's rules of addresses, as a part of routes.
    let network: NetworkRules?
    let rotation = AddressRotation()
    let tlsContexts = TLSContexts()
    /// The rules of https requests without options for them. `nil` if hosts may have rules of their own.
    let commonRules: TLSRules?
    /// The proxies of requests without an option for them. `nil` if none gets one.
    let proxies: ProxySelection?
    let proxyEnvironment: ProxyEnvironment
    /// Makes the credentials for HTTP proxies. `nil` to send none.
    let proxyAuthenticator: (any ProxyAuthenticator)?
    let coalescable = CoalescableConnections()
    let movedOrigins = MovedOrigins()
    let parserLimits: HTTP1Limits
    let http2Limits: HTTP2Limits
    let engineLoops: [EngineLoop]
    private let connectionCounter = Atomic<Int>(0)
    private let exchangeCounter = Atomic<Int>(0)

    init(
        configuration: SessionConfiguration,
        counters: LiveCounters,
        resolver: any HostResolver,
        dialer: Dialer? = nil,
        proxyAuthenticator: (any ProxyAuthenticator)? = nil,
        engineLoops: [EngineLoop]
    ) {
        let environment = ProxyEnvironment.current()
        self.proxyEnvironment = environment
        self.proxies = configuration.proxy.isEmpty(in: environment) ? nil : configuration.proxy
        self.proxyAuthenticator = proxyAuthenticator
        self.configuration = configuration
        self.counters = counters
        self.permits = ConnectionPermits(limit: configuration.pool.connectionsTotal)
        self.resolver = resolver
        self.dialer = dialer ?? .tcp(configuration.tcpKeepAlive)
        self.network = NetworkRules.make(configuration.addresses)
        self.engineLoops = engineLoops
        let dependsOnHost = configuration.clientIdentities != nil || configuration.serverTrustManager != nil
        self.commonRules = dependsOnHost ? nil : TLSRules(trust: configuration.trust, tls: configuration.tls)
        let limits = configuration.limits
        self.parserLimits = HTTP1Limits(
            responseHeadBytes: limits.responseHeadBytes,
            fieldBytes: limits.fieldBytes,
            fieldCount: limits.fieldCount,
            informationalResponses: limits.informationalResponses,
            chunkSizeLineBytes: limits.chunkSizeLineBytes,
            trailerBytes: limits.trailerBytes,
            isStrict: limits.parsing == .strict
        )
        self.http2Limits = HTTP2Limits(
            headerListBytes: limits.responseHeadBytes,
            fieldCount: limits.fieldCount,
            informationalResponses: limits.informationalResponses,
            trailerBytes: limits.trailerBytes,
            concurrentStreams: max(configuration.http2.concurrentStreams, 1),
            streamWindowBytes: configuration.http2.streamWindowBytes,
            connectionWindowBytes: configuration.http2.connectionWindowBytes
        )
    }

    /// Returns the loop that holds the pool of an origin.
    func engineLoop(for origin: Origin) -> EngineLoop {
        guard engineLoops.count > 1 else { return engineLoops[0] }
        if let home = movedOrigins[origin] { return home }
        // FNV-1a, because `Hasher` is seeded per process: an origin maps to the same loop in every session.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var host = origin.host
        host.withUTF8 { for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 } }
        hash = (hash ^ UInt64(origin.port)) &* 0x100_0000_01B3
        return engineLoops[Int(hash >> 32) % engineLoops.count]
    }

    /// Makes the trust and the settings of TLS for a request. `KnownTLSRules` keeps them.
    ///
    /// - Parameters:
    ///   - origin: The origin of the request, an https one.
    ///   - trust: The trust of the request. `nil` for that of the session.
    ///   - tls: The settings of TLS of the request. `nil` for those of the session.
    /// - Returns: The rules.
    /// - Throws: The errors of `ServerTrustManager.serverTrustEvaluator(forHost:)`.
    func makeTLSRules(for origin: Origin, trust: ServerTrust?, tls: TLSSettings?) throws(ApusError) -> TLSRules {
        var settings = tls ?? configuration.tls
        if settings.identity == nil, let identities = configuration.clientIdentities {
            settings.identity = identities.identity(forHost: origin.host)
        }
        return TLSRules(trust: try configuration.trust(for: origin, option: trust), tls: settings)
    }

    func nextConnectionID() -> Int { connectionCounter.wrappingAdd(1, ordering: .relaxed).newValue }

    func nextExchangeNumber() -> Int { exchangeCounter.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Closes an idle connection on each loop, to make room when the total limit is reached.
    func evictIdleConnection() {
        for engineLoop in engineLoops { engineLoop.run { $0.evictIdleConnection() } }
    }
}
