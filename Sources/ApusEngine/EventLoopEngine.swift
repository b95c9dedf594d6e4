internal import ApusCore
internal import NIOCore

/// The pools of one event loop. Confined to that loop.
final class EventLoopEngine {
    let loop: any EventLoop
    let shared: EngineContext
    let bound: EngineLoop
    private var pools: [PoolKey: OriginPool] = [:]
    /// The pool used last. Most programs send to one origin at a time.
    private var recent: OriginPool?
    /// Connections with a written but unsent request.
    @exclusivity(unchecked) private var unflushed: [HTTP1Connection] = []
    private var isClosed = false

    init(loop: any EventLoop, shared: EngineContext, bound: EngineLoop) {
        self.loop = loop
        self.shared = shared
        self.bound = bound
    }

    var now: MonotonicInstant { MonotonicInstant(nanoseconds: loop.now.uptimeNanoseconds) }

    func serve(_ exchange: Exchange, requiresNewConnection: Bool = false) {
        guard !isClosed else { return exchange.fail(CancelReason.sessionShutDown.error) }
        pool(for: exchange.request.target.origin).serve(exchange, requiresNewConnection: requiresNewConnection)
    }

    /// Opens connections to `origin` in advance. `completion` is called once, on the loop.
    func prepare(_ origin: Origin, count: Int, completion: @escaping (Result<Int, ApusError>) -> Void) {
        guard !isClosed else { return completion(.failure(CancelReason.sessionShutDown.error)) }
        pool(for: origin).prepare(count, completion: completion)
    }

    private func pool(for origin: Origin) -> OriginPool {
        let trust = shared.configuration.trust
        if let recent, recent.key.origin == origin { return recent }
        let key = PoolKey(origin: origin, trust: trust)
        let pool = pools[key] ?? open(key)
        recent = pool
        return pool
    }

    private func open(_ key: PoolKey) -> OriginPool {
        let pool = OriginPool(key: key, engine: self)
        pools[key] = pool
        shared.counters.add(to: .pools)
        return pool
    }

    /// Flushes `connection` after the jobs of this turn have run, or immediately if there are none.
    ///
    /// The first bytes wake a sleeping peer or the network driver, which costs up to a quarter of a request. Requests
    /// that are flushed back to back pay that cost once.
    func flushAtEndOfTurn(_ connection: HTTP1Connection) {
        unflushed.append(connection)
        guard unflushed.count == 1 else { return }
        let engine = NIOLoopBound(self, eventLoop: loop)
        bound.jobs.atEndOfTurn { engine.value.flush() }
    }

    private func flush() {
        let connections = unflushed
        unflushed = []
        for connection in connections { connection.flush() }
    }

    func permitGranted(to key: PoolKey) {
        if let pool = pools[key] { pool.permitGranted() } else { shared.permits.release() }
    }

    /// Removes an unused pool, so that a program that contacts a million hosts does not accumulate pools.
    func retire(_ pool: OriginPool) {
        guard pools.removeValue(forKey: pool.key) != nil else { return }
        shared.counters.remove(from: .pools)
        if recent === pool { recent = nil }
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
