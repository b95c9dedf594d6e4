internal import ApusCore
internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Sets up one connection: resolves the host, races its addresses, performs the TLS handshake. Confined to its loop.
///
/// The TLS context is prepared in parallel with the lookup, off the loop: an unreadable file blocks no other request.
final class Connector {
    typealias Completion = (Result<any PooledConnection, ApusError>) -> Void

    private let id: Int
    private let route: Route
    private let engine: EventLoopEngine
    /// The host as certificates and TLS use it, without a trailing dot.
    private let name: String
    /// The address, if the origin's host is an IP address.
    private let literal: SocketAddress?
    private var timings = ConnectTimings()
    private var race: HappyEyeballs?
    private var addresses: [SocketAddress]?
    private var tlsContext: NIOSSLContext?
    private var lookup: JobInterest?
    private var contextWait: JobInterest?
    private var channel: (any Channel)?
    private var deadline: LoopTimer?
    private var completion: Completion?

    init(id: Int, route: Route, engine: EventLoopEngine) {
        self.id = id
        self.route = route
        self.engine = engine
        self.name = Self.withoutRootDot(route.origin.host)
        self.literal = try? SocketAddress(ipAddress: name, port: route.origin.port)
    }

    private var loop: any EventLoop { engine.loop }
    private var timeouts: Timeouts { engine.shared.configuration.timeouts }

    /// Starts. `completion` is called once, on the event loop.
    func start(_ completion: @escaping Completion) {
        self.completion = completion
        limit(timeouts.connect) { limit in
            let soFar = self.race?.failuresSoFar ?? ""
            return ApusError(
                .connectTimeout,
                "\(self.gap) within \(limit.formatted)\(soFar.isEmpty ? "" : " (\(soFar))")",
                hint: "raise timeouts.connect of the session"
            )
        }
        if let security = route.security { prepare(security) }
        // `prepare` may have failed already.
        if self.completion != nil { resolve() }
    }

    /// The step that has not finished, for the timeout's error message.
    private var gap: String {
        if race != nil { return "no address responded" }
        return addresses == nil ? "'\(route.origin.host)' was not resolved" : "the trust roots were not read"
    }

    /// Cancels the attempt, because the session shuts down.
    func cancel() {
        finish(.failure(CancelReason.sessionShutDown.error))
    }

    // MARK: Prepare

    private func prepare(_ security: TLSSecurity) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        let loop = loop
        contextWait = engine.shared.tlsContexts.context(for: security) { result in
            if loop.inEventLoop { return bound.value.prepared(result) }
            loop.execute { bound.value.prepared(result) }
        }
    }

    private func prepared(_ context: Result<NIOSSLContext, ApusError>) {
        switch context {
        case .failure(let error): finish(.failure(error))
        case .success(let context):
            tlsContext = context
            if let addresses { connect(to: addresses) }
        }
    }

    // MARK: Resolve

    private func resolve() {
        if let literal { return found([literal]) }
        timings.resolveBegin = engine.now
        let bound = NIOLoopBound(self, eventLoop: loop)
        let loop = loop
        engine.shared.counters.add(to: .lookups)
        lookup = engine.shared.resolver.lookUp(route.origin.host) { result in
            loop.execute { bound.value.resolved(result) }
        }
    }

    /// Ends the lookup, whether it finished or is no longer needed.
    private func endLookup() {
        guard let lookup else { return }
        self.lookup = nil
        engine.shared.counters.remove(from: .lookups)
        lookup.withdraw()
    }

    private func resolved(_ result: Result<[HostAddress], ApusError>) {
        guard completion != nil else { return }
        endLookup()
        timings.resolveEnd = engine.now
        switch result {
        case .failure(let error):
            finish(.failure(error))
        case .success(let addresses):
            let order = HappyEyeballsStateMachine.interleaved(addresses, isIPv6: \.isIPv6)
            let sockets = order.compactMap { try? SocketAddress(ipAddress: $0.text, port: route.origin.port) }
            guard !sockets.isEmpty else {
                return finish(
                    .failure(ApusError(.hostNotFound, "'\(route.origin.host)' has no usable address"))
                )
            }
            found(sockets)
        }
    }

    private func found(_ addresses: [SocketAddress]) {
        if route.trust == nil || tlsContext != nil { return connect(to: addresses) }
        self.addresses = addresses
    }

    // MARK: Connect

    private func connect(to addresses: [SocketAddress]) {
        guard completion != nil else { return }
        timings.connectBegin = engine.now
        let race = HappyEyeballs(addresses: addresses, engine: engine) { [weak self] result in
            guard let self else {
                if case .success(let channel) = result { channel.close(promise: nil) }
                return
            }
            switch result {
            case .success(let channel): self.connected(channel)
            case .failure(let error): self.finish(.failure(error))
            }
        }
        self.race = race
        race.start()
    }

    private func connected(_ channel: any Channel) {
        race = nil
        self.channel = channel
        timings.connectEnd = engine.now
        timings.remoteAddress = channel.remoteAddress?.formatted
        guard let tlsContext else {
            timings.negotiated = route.protocols == .http2 ? .http2 : .http1
            return complete(channel)
        }
        timings.tlsBegin = engine.now
        limit(timeouts.tls) { limit in
            ApusError(
                .tlsTimeout,
                "the handshake did not finish within \(limit.formatted)",
                hint: "raise timeouts.tls of the session"
            )
        }
        secure(channel, tlsContext)
    }

    // MARK: Secure

    private func secure(_ channel: any Channel, _ context: NIOSSLContext) {
        do {
            let handler = try NIOSSLClientHandler(context: context, serverHostname: serverName)
            let watcher = TLSHandshakeWatcher { [weak self] result in self?.shookHands(result, handler) }
            try channel.pipeline.syncOperations.addHandlers(TLSRecordTracker(), handler, watcher)
        } catch {
            finish(.failure(ApusError.wrapping(error) { handshakeFailure($0) }))
        }
    }

    /// The host name for SNI and verification. `nil` if the host is an address.
    private var serverName: String? { literal == nil ? name : nil }

    /// Removes a trailing dot, as RFC 6066 §3 requires for the server name.
    private static func withoutRootDot(_ host: String) -> String {
        host.last == "." && !host.contains(":") ? String(host.dropLast()) : host
    }

    private func handshakeFailure(_ error: any Error, _ handler: NIOSSLClientHandler? = nil) -> ApusError {
        // RFC 7301 §3.2: the server supports none of the offered protocols.
        if route.protocols == .http2, TLSFailure.isProtocolRefusal(error) { return noHTTP2 }
        return TLSFailure.handshake(
            error,
            host: name,
            minimum: route.trust?.minimumTLSVersion ?? .v12,
            certificate: handler?.peerCertificate
        )
    }

    private func shookHands(_ result: Result<TLSHandshakeWatcher, any Error>, _ handler: NIOSSLClientHandler) {
        guard completion != nil, let channel else { return }
        switch result {
        case .failure(let error):
            finish(.failure(handshakeFailure(error, handler)))
        case .success(let watcher):
            if route.trust?.verification == .full, let serverName {
                let certificate = handler.peerCertificate
                guard certificate.map({ TLSIdentity.names($0, serverName) }) == true else {
                    return finish(.failure(TLSFailure.wrongName(serverName, certificate)))
                }
            }
            timings.tlsEnd = engine.now
            timings.tlsVersion = handler.tlsVersion.map(Self.name)
            // A server that chooses no protocol speaks HTTP/1.1.
            timings.negotiated = watcher.negotiated.flatMap { NegotiatedProtocol(rawValue: $0) } ?? .http1
            guard timings.negotiated == .http2 || route.protocols != .http2 else {
                return finish(.failure(noHTTP2))
            }
            complete(channel)
            channel.pipeline.syncOperations.removeHandler(watcher, promise: nil)
        }
    }

    private static func name(_ version: TLSVersion) -> String {
        switch version {
        case .tlsv1: "TLSv1"
        case .tlsv11: "TLSv1.1"
        case .tlsv12: "TLSv1.2"
        case .tlsv13: "TLSv1.3"
        }
    }

    // MARK: Completion

    private var noHTTP2: ApusError {
        ApusError(
            .protocolUnsupported,
            "\(route.origin.host) does not support HTTP/2",
            hint: "to accept HTTP/1.1, set protocols = .automatic"
        )
    }

    private func complete(_ channel: any Channel) {
        let connection: any PooledConnection & ChannelHandler =
            switch timings.negotiated {
            case .http1: HTTP1Connection(id: id, engine: engine, timings: timings)
            case .http2: HTTP2Connection(id: id, engine: engine, timings: timings)
            }
        do {
            try channel.pipeline.syncOperations.addHandler(connection)
            self.channel = nil
            finish(.success(connection))
        } catch {
            finish(.failure(ApusError(.connectFailed, "the connection was closed during its setup", underlying: error)))
        }
    }

    private func finish(_ result: Result<any PooledConnection, ApusError>) {
        guard let completion else { return }
        self.completion = nil
        deadline?.cancel()
        endLookup()
        contextWait?.withdraw()
        contextWait = nil
        race?.cancel()
        race = nil
        if case .failure = result {
            channel?.close(promise: nil)
            channel = nil
        }
        completion(result)
    }

    private func limit(_ duration: Duration?, _ error: @escaping (Duration) -> ApusError) {
        deadline?.cancel()
        deadline = duration.map { duration in
            LoopTimer(on: engine, at: engine.now.advanced(by: duration)) { [weak self] in
                self?.finish(.failure(error(duration)))
            }
        }
    }
}

/// Waits for the end of a TLS handshake. It is removed from the pipeline afterwards.
final class TLSHandshakeWatcher: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private var completion: ((Result<TLSHandshakeWatcher, any Error>) -> Void)?
    /// The protocol that the server has chosen with ALPN.
    private(set) var negotiated: String?

    init(completion: @escaping (Result<TLSHandshakeWatcher, any Error>) -> Void) {
        self.completion = completion
    }

    private func finish(_ result: Result<TLSHandshakeWatcher, any Error>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            self.negotiated = negotiated
            finish(.success(self))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard completion != nil else { return context.fireErrorCaught(error) }
        finish(.failure(error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.failure(ChannelError.eof))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish(.failure(ChannelError.alreadyClosed))
    }
}
