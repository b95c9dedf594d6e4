internal import ApusCore
internal import NIOCore

/// The pools of one event loop. Confined to that loop.
final class EventLoopEngine {
    let loop: any EventLoop
    let shared: EngineContext
    let bound: EngineLoop
    private var pools: [Route: OriginPool] = [:]
    private var knownRules = KnownTLSRules()
    /// The pool used last. Most programs send to one origin at a time.
    private var recent: OriginPool?
    /// The pool of the last request whose route depends on its origin alone, since most requests have no options.
    @exclusivity(unchecked) private var recentUsual: OriginPool?
    /// Connections with a written but unsent request.
    @exclusivity(unchecked) private var unflushed: [any PooledConnection] = []
    /// Empty storage for the next turn's `unflushed`.
    @exclusivity(unchecked) private var spareUnflushed: [any PooledConnection] = []
    private var isClosed = false
    /// The credentials for proxies.
    var proxyAuthorizations: ProxyAuthorizations
    /// The origins whose requests a server has refused on the connection of another origin.
    private var misdirectedOrigins: Set<Origin> = []
    /// The maximum number of these origins. Beyond it, all of them may share connections again.
    private static let maximumMisdirectedOrigins = 1000

    init(loop: any EventLoop, shared: EngineContext, bound: EngineLoop) {
        self.loop = loop
        self.shared = shared
        self.bound = bound
        self.proxyAuthorizations = ProxyAuthorizations(shared.proxyAuthenticator)
    }

    var now: MonotonicInstant { MonotonicInstant(nanoseconds: loop.now.uptimeNanoseconds) }

    /// Gives an exchange to the pool of its route.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - requiresNewConnection: Whether its last connection was dead. Default: `false`.
    ///   - found: The addresses that were found on another loop. Default: `nil`.
    func serve(_ exchange: Exchange, requiresNewConnection: Bool = false, with found: FoundAddresses? = nil) {
        guard !isClosed else { return exchange.fail(CancelReason.sessionShutDown.error) }
        let options = exchange.request.options
        if options.isEmpty, let recentUsual, recentUsual.route.origin == exchange.request.target.origin {
            return recentUsual.serve(exchange, requiresNewConnection: requiresNewConnection, with: found)
        }
        do throws(ApusError) {
            var proxy: ProxyServer?
            if let selection = options[ProxySelection.self] ?? shared.proxies {
                proxy = try selection.proxy(for: exchange.request.target, in: shared.proxyEnvironment)
            }
            let origin = exchange.request.target.origin
            let pool = try pool(for: origin, options, proxy)
            let isUsual = options.isEmpty && shared.proxies == nil
            if isUsual, origin.scheme == .http || shared.commonRules != nil { recentUsual = pool }
            pool.serve(exchange, requiresNewConnection: requiresNewConnection, with: found)
        } catch {
            exchange.fail(error)
        }
    }

    /// Opens connections to `origin` in advance. `completion` is called once, on the loop.
    func prepare(_ origin: Origin, count: Int, completion: @escaping (Result<Int, ApusError>) -> Void) {
        guard !isClosed else { return completion(.failure(CancelReason.sessionShutDown.error)) }
        do throws(ApusError) {
            let target = TargetURI(origin: origin, path: "/")
            let proxy = try shared.proxies?.proxy(for: target, in: shared.proxyEnvironment)
            try pool(for: origin, .none, proxy).prepare(count, completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    /// Returns the pool of a route.
    ///
    /// - Throws: The error of the rules for the host.
    private func pool(
        for origin: Origin,
        _ options: RequestOptions,
        _ proxy: ProxyServer?
    ) throws(ApusError) -> OriginPool {
        let protocols = options[HTTPProtocols.self] ?? shared.configuration.protocols
        let rules = try knownRules.rules(for: origin, options, in: shared)
        let network = options[AddressRules.self].map { NetworkRules.make($0) } ?? shared.network
        // A Unix socket goes before a proxy.
        let proxy = network?.rules.unixSocket == nil ? proxy : nil
        if let recent, recent.route.origin == origin, recent.route.protocols == protocols, recent.route.rules == rules,
            recent.route.network == network, recent.route.proxy == proxy
        {
            return recent
        }
        let route = Route(origin: origin, rules: rules, protocols: protocols, network: network, proxy: proxy)
        let pool = pools[route] ?? open(route)
        recent = pool
        return pool
    }

    private func open(_ route: Route) -> OriginPool {
        let pool = OriginPool(route: route, engine: self)
        pools[route] = pool
        shared.counters.add(to: .pools)
        if route.rules?.tls.keyLog != nil { shared.configuration.warnOfKeyLog(for: route.origin.host) }
        return pool
    }

    /// Flushes `connection` after the jobs of this turn have run, or immediately if there are none.
    ///
    /// The first bytes wake a sleeping peer or the network driver, which costs up to a quarter of a request. Requests
    /// that are flushed back to back pay that cost once.
    func flushAtEndOfTurn(_ connection: any PooledConnection) {
        unflushed.append(connection)
        guard unflushed.count == 1 else { return }
        let engine = NIOLoopBound(self, eventLoop: loop)
        bound.jobs.atEndOfTurn { engine.value.flush() }
    }

    private func flush() {
        // A flush may fail, and its consequences may call this function again.
        var connections = unflushed
        unflushed = spareUnflushed
        spareUnflushed = []
        for connection in connections { connection.flush() }
        connections.removeAll(keepingCapacity: true)
        spareUnflushed = connections
    }

    // MARK: Coalesced connections

    /// Whether requests to an origin may use a connection of another one.
    func mayCoalesce(_ origin: Origin) -> Bool {
        origin.scheme == .https && !misdirectedOrigins.contains(origin)
            && shared.configuration.http2.coalescesConnections
    }

    /// Gives requests to an origin its own connections from now on.
    func stopCoalescing(_ origin: Origin) {
        if misdirectedOrigins.count >= Self.maximumMisdirectedOrigins { misdirectedOrigins = [] }
        misdirectedOrigins.insert(origin)
        for pool in pools.values where pool.route.origin == origin { pool.stopBorrowing() }
    }

    /// Returns the pool that lends a connection. `nil` if the connection has closed.
    func lender(of entry: CoalescableConnections.Entry) -> OriginPool? { pools[entry.route] }

    // MARK: Permits and shutdown

    func permitGranted(to route: Route) {
        if let pool = pools[route] { pool.permitGranted() } else { shared.permits.release() }
    }

    /// Removes an unused pool, so that a program that contacts a million hosts does not accumulate pools.
    func retire(_ pool: OriginPool) {
        guard pools.removeValue(forKey: pool.route) != nil else { return }
        shared.counters.remove(from: .pools)
        if recent === pool { recent = nil }
        if recentUsual === pool { recentUsual = nil }
    }

    /// Closes the connection of this loop that has been idle longest.
    func evictIdleConnection() {
        let oldest = pools.values.compactMap { pool in pool.oldestIdle.map { ($0, pool) } }.min { $0.0 < $1.0 }
        oldest?.1.evictOldestIdle()
    }

    func shutDown(gracefully: Bool) {
        isClosed = true
        for pool in pools.values { pool.shutDown(gracefully: gracefully) }
    }
}

/// A loop's engine, for use from any thread.
final class EngineLoop: Sendable {
    let loop: any EventLoop
    let executor: LoopExecutor
    let guestExecutor: GuestExecutor
    let jobs: LoopJobs
    private let box: NIOLoopBoundBox<EventLoopEngine?>

    init(loop: any EventLoop) {
        self.loop = loop
        self.jobs = LoopJobs(loop: loop)
        self.executor = LoopExecutor(jobs)
        self.guestExecutor = GuestExecutor(jobs)
        self.box = NIOLoopBoundBox.makeEmptyBox(valueType: EventLoopEngine.self, eventLoop: loop)
    }

    /// Creates the engine on the loop. To be called before any other use.
    func install(_ shared: EngineContext) {
        loop.execute { self.box.value = EventLoopEngine(loop: self.loop, shared: shared, bound: self) }
    }

    /// Calls `body` on the loop: immediately if the caller is on it already.
    func run(_ body: @escaping @Sendable (EventLoopEngine) -> Void) {
        if loop.inEventLoop, let engine = box.value { return body(engine) }
        loop.execute {
            if let engine = self.box.value { body(engine) }
        }
    }

    /// Releases the engine.
    func tearDown() {
        loop.execute { self.box.value = nil }
    }
}
