internal import ApusCore
internal import NIOCore

/// Sets up one connection, stage by stage. Confined to its loop.
final class Connector {
    enum Outcome {
        case connection(any PooledConnection)
        /// Connections of other origins serve the waiters.
        case coalesced
        /// A search has ended, and waiters are left.
        case notCoalesced
    }

    typealias Completion = (Result<Outcome, ApusError>) -> Void

    private let id: Int
    private let isSearch: Bool
    private let setup: ConnectionSetup
    private let stages: [any ConnectStage]
    /// The index of the stage that runs.
    private var current = 0
    private var deadline: LoopTimer?
    private var limit: ConnectLimit?
    private var isStarting = true
    private var completion: Completion?

    /// Creates a connector.
    ///
    /// - Parameters:
    ///   - id: The number of the connection.
    ///   - route: The route to set up.
    ///   - engine: The engine of the loop.
    ///   - borrow: Serves the waiters with connections of other origins. `nil` to open a connection in any case.
    ///   - found: The addresses of another setup, whose time limit continues. Default: `nil`, they are looked up.
    ///   - isSearch: Whether to look for connections of other origins only, and to open none. Default: `false`.
    init(
        id: Int,
        route: Route,
        engine: EventLoopEngine,
        borrow: CoalescingStage.Borrow?,
        found: FoundAddresses? = nil,
        isSearch: Bool = false
    ) {
        self.id = id
        self.isSearch = isSearch
        let setup = ConnectionSetup(route: route, engine: engine, found: found)
        self.setup = setup
        let stages = Self.stages(setup, borrow, hasAddresses: found != nil)
        self.stages = isSearch ? stages.filter { $0 is ResolveStage || $0 is CoalescingStage } : stages
    }

    /// The stages, in their order.
    private static func stages(
        _ setup: ConnectionSetup,
        _ borrow: CoalescingStage.Borrow?,
        hasAddresses: Bool
    ) -> [any ConnectStage] {
        if let proxy = setup.route.proxy { return self.stages(setup, through: proxy) }
        var stages: [any ConnectStage] = hasAddresses ? [] : [ResolveStage(setup)]
        let security = setup.route.security
        if let security, let borrow { stages.append(CoalescingStage(setup, security, borrow: borrow)) }
        if let security { stages.append(TLSContextStage(setup, security)) }
        stages.append(RaceStage(setup))
        if let security { stages.append(TLSHandshakeStage(setup, security)) }
        return stages
    }

    /// The stages of a connection through a proxy. It shares no connection of another origin.
    private static func stages(_ setup: ConnectionSetup, through proxy: ProxyServer) -> [any ConnectStage] {
        var stages: [any ConnectStage] = [ResolveStage(setup, for: .proxy)]
        if proxy.kind == .socks5 { stages.append(ResolveStage(setup)) }
        var trust = setup.engine.shared.configuration.trust
        // Pins and other evaluators are meant for origins.
        trust.evaluator = nil
        let proxySecurity = proxy.kind == .https ? TLSSecurity(rules: TLSRules(trust: trust), protocols: .http1) : nil
        if let proxySecurity { stages.append(TLSContextStage(setup, proxySecurity, for: .proxy)) }
        let security = setup.route.security
        if let security { stages.append(TLSContextStage(setup, security)) }
        stages.append(RaceStage(setup))
        if let proxySecurity { stages.append(TLSHandshakeStage(setup, proxySecurity, with: .proxy)) }
        if proxy.kind.isSOCKS {
            stages.append(SOCKSStage(setup, proxy))
        } else if setup.route.forwardingProxy == nil {
            stages.append(ProxyConnectStage(setup, proxy))
        }
        if let security { stages.append(TLSHandshakeStage(setup, security)) }
        return stages
    }

    /// Starts. `completion` is called once, on the event loop. An error is passed to it after this function has returned.
    func start(_ completion: @escaping Completion) {
        self.completion = completion
        for stage in stages where self.completion != nil {
            stage.prepare { [weak self] in self?.finish(.failure($0)) }
        }
        if self.completion != nil { run() }
        isStarting = false
    }

    /// Cancels the attempt, because the session shuts down.
    func cancel() {
        finish(.failure(CancelReason.sessionShutDown.error))
    }

    private func run() {
        guard current < stages.count else { return complete() }
        let stage = stages[current]
        setTimer(for: stage.limit)
        stage.start { [weak self] in self?.ended($0) }
    }

    private func ended(_ result: Result<Void, ApusError>) {
        guard completion != nil else { return }
        switch result {
        case .failure(let error):
            finish(.failure(error))
        case .success:
            if setup.isCoalesced { return finish(.success(.coalesced)) }
            if setup.needsAnotherConnection { return reconnect() }
            current += 1
            run()
        }
    }

    /// Connects to the proxy again, for a stage that needs another connection.
    private func reconnect() {
        setup.needsAnotherConnection = false
        let channel = setup.channel
        setup.channel = nil
        channel?.close(promise: nil)
        current = stages.firstIndex { $0 is RaceStage } ?? 0
        run()
    }

    /// Makes the connection for the protocol that the server has chosen.
    private func complete() {
        if isSearch { return finish(.success(.notCoalesced)) }
        guard let channel = setup.channel else { return }
        if setup.route.security == nil, setup.route.protocols == .http2 { setup.timings.negotiated = .http2 }
        let connection: any PooledConnection & ChannelHandler =
            switch setup.timings.negotiated {
            case .http1:
                HTTP1Connection(
                    id: id,
                    engine: setup.engine,
                    timings: setup.timings,
                    forwarding: setup.route.forwardingProxy.map { ProxyForwarding($0, engine: setup.engine) }
                )
            case .http2: HTTP2Connection(id: id, setup)
            }
        do {
            try channel.pipeline.syncOperations.addHandler(connection)
            setup.channel = nil
            finish(.success(.connection(connection)))
        } catch {
            finish(.failure(ApusError(.connectFailed, "the connection was closed during its setup", underlying: error)))
        }
    }

    /// Returns the error with the name of the proxy, unless it has it.
    private func named(_ error: ApusError) -> ApusError {
        guard let proxy = setup.route.proxy, [.resolve, .connect, .tls].contains(error.phase) else { return error }
        return error.detail.contains(proxy.description) ? error : error.through(proxy: proxy.description)
    }

    private func finish(_ result: Result<Outcome, ApusError>) {
        guard let completion else { return }
        let result = result.mapError { named($0) }
        self.completion = nil
        deadline?.cancel()
        for stage in stages { stage.cancel() }
        setup.channel?.close(promise: nil)
        setup.channel = nil
        guard isStarting, case .failure = result else { return completion(result) }
        // On the next turn, since attempts that fail at once would otherwise recurse.
        let bound = NIOLoopBound((completion, result), eventLoop: setup.loop)
        setup.loop.execute { bound.value.0(bound.value.1) }
    }

    private func setTimer(for limit: ConnectLimit) {
        guard limit != self.limit else { return }
        let engine = setup.engine
        // The first limit may have begun with the lookup of another setup.
        let begin = self.limit == nil ? setup.begin : engine.now
        self.limit = limit
        deadline?.cancel()
        deadline = limit.duration(engine.shared.configuration.timeouts).map { duration in
            LoopTimer(on: engine, at: begin.advanced(by: duration)) { [weak self] in
                guard let self else { return }
                let stage = self.stages[self.current]
                self.finish(.failure(stage.verdict ?? limit.error(of: stage, after: duration)))
            }
        }
    }
}
