internal import ApusCore
internal import ApusTrust
internal import NIOCore
internal import NIOSSL

/// Performs the TLS handshake, has the server's certificate verified, and learns the protocol that the server has chosen.
///
/// The library pauses the handshake for the verification, which may wait for files or for an evaluator of the user's. So
/// no request is sent to a server that is not trusted.
final class TLSHandshakeStage: ConnectStage {
    private let setup: ConnectionSetup
    private let security: TLSSecurity
    private let hop: ConnectionHop
    private let endpoint: Endpoint
    private var completion: ((Result<Void, ApusError>) -> Void)?
    private var verification: Task<Void, Never>?
    /// Continues the handshake after the verification.
    private var pending: EventLoopPromise<NIOSSLVerificationResult>?
    private weak var watcher: TLSHandshakeWatcher?
    /// The reason for which the handshake was ended.
    private var rejection: ApusError?

    init(_ setup: ConnectionSetup, _ security: TLSSecurity, with hop: ConnectionHop = .origin) {
        self.setup = setup
        self.security = security
        self.hop = hop
        self.endpoint = setup.endpoint(hop)
    }

    var limit: ConnectLimit { .tls }

    var unfinished: String {
        let proxy = proxyName.map { " the proxy \($0)" }
        return pending == nil
            ? "the handshake\(proxy.map { " with\($0)" } ?? "") did not finish"
            : "the certificate of\(proxy ?? " the server") was not verified"
    }

    /// The proxy, for errors of the handshake with it. `nil` for that with the origin.
    private var proxyName: String? { hop == .proxy ? setup.route.proxy?.description : nil }

    /// The host or address that the certificate must name.
    private var verifiedName: String { security.tls.verifiedName ?? endpoint.name }

    func start(_ completion: @escaping (Result<Void, ApusError>) -> Void) {
        guard let context = hop == .proxy ? setup.proxyTLSContext : setup.tlsContext, let channel = setup.channel else {
            return completion(.failure(ApusError(.tlsFailed, "the connection was closed before the handshake")))
        }
        self.completion = completion
        rejection = nil
        if hop == .origin { setup.timings.tlsBegin = setup.engine.now }
        do {
            let handler = try handler(context)
            let watcher = TLSHandshakeWatcher { [weak self] in self?.shookHands($0, handler) }
            self.watcher = watcher
            let outer = try? channel.pipeline.syncOperations.handler(type: TLSRecordTracker.self)
            let records = TLSRecordTracker()
            try channel.pipeline.syncOperations.addHandlers(records, handler, watcher)
            outer?.inner = records
        } catch {
            finish(.failure(ApusError.wrapping(error) { failure($0) }))
        }
    }

    private func handler(_ context: NIOSSLContext) throws -> NIOSSLClientHandler {
        let serverName = security.tls.serverName ?? endpoint.serverName
        do {
            guard LibraryVerification(security) == nil else {
                return try NIOSSLClientHandler(context: context, serverHostname: serverName)
            }
            return try NIOSSLClientHandler(
                context: context,
                serverHostname: serverName,
                customVerificationCallback: { [weak self] chain, promise in
                    guard let self else { return promise.succeed(.failed) }
                    self.verify(chain, promise)
                }
            )
        } catch let error as NIOSSLExtraError {
            // The host of a URL passes these checks, so the name is that of the settings.
            throw ApusError(
                .invalidConfiguration,
                "'\(serverName ?? "")' in tls.serverName is no host name",
                underlying: TLSFailure.cause(of: error)
            )
        }
    }

    func cancel() {
        completion = nil
        verification?.cancel()
        verification = nil
        proceed(.failed)
    }

    private func finish(_ result: Result<Void, ApusError>) {
        let completion = completion
        self.completion = nil
        completion?(proxyName.map { name in result.mapError { $0.ofProxy(name) } } ?? result)
    }

    private func failure(_ error: any Error, _ handler: NIOSSLClientHandler? = nil) -> ApusError {
        if let rejection { return rejection }
        if let verification = LibraryVerification(security),
            TLSSymbols.found(in: error).contains(LibraryVerification.symbol)
        {
            let bytes = try? handler?.peerCertificate?.toDERBytes()
            return verification.reason(for: bytes).error(for: verifiedName)
        }
        return TLSFailure.handshake(error, host: endpoint.name, security: security, proxy: proxyName)
    }

    // MARK: Verification

    /// Continues or ends the handshake, if it waits for that.
    private func proceed(_ result: NIOSSLVerificationResult) {
        let pending = pending
        self.pending = nil
        watcher?.holdsReads = false
        pending?.succeed(result)
    }

    /// Verifies the certificates that the server has presented.
    private func verify(_ presented: [NIOSSLCertificate], _ promise: EventLoopPromise<NIOSSLVerificationResult>) {
        guard completion != nil else { return promise.succeed(.failed) }
        pending = promise
        watcher?.holdsReads = true
        // An unreadable certificate stays in its place, so that no other is taken for that of the server.
        let chain = presented.map { (try? $0.toDERBytes()) ?? [] }
        let (host, trust) = (verifiedName, security.trust)
        let addressGuard = setup.route.network?.rules.guard
        let engine = setup.engine
        let evaluatesOnLoop = engine.shared.configuration.handlerExecution == .eventLoop
        let counters = engine.shared.counters
        let loop = setup.loop
        let stage = NIOLoopBound(self, eventLoop: loop)
        counters.add(to: .tasks)
        // The default evaluation needs no change of threads.
        verification = Task(executorPreference: engine.bound.executor) {
            let verdict = await PeerVerifier.shared.verify(
                chain,
                host: host,
                trust: trust,
                addressGuard: addressGuard,
                evaluatesOnCaller: evaluatesOnLoop
            )
            counters.remove(from: .tasks)
            if loop.inEventLoop { return stage.value.verified(verdict) }
            loop.execute { stage.value.verified(verdict) }
        }
    }

    private func verified(_ verdict: Result<PeerVerdict, ApusError>) {
        guard completion != nil else { return }
        verification = nil
        switch verdict {
        case .success(let verdict):
            trust(verdict.chain, isHostVerified: verdict.isHostVerified)
            proceed(.certificateVerified)
        case .failure(let error):
            rejection = error
            // The server gets an alert, and the handshake fails.
            proceed(.failed)
        }
    }

    private func trust(_ chain: [ServerCertificate], isHostVerified: Bool) {
        // Those of a proxy are not shown, and prove nothing about the origin.
        guard hop == .origin else { return }
        setup.timings.certificates = chain
        setup.timings.isHostVerified = isHostVerified && security.tls.verifiedName == nil
        if isHostVerified { setup.certificate = chain.first }
    }

    /// Checks the certificate of a server that the library has verified. Returns the error if it is for other hosts.
    private func libraryVerdict(_ handler: NIOSSLClientHandler) -> ApusError? {
        guard let verification = LibraryVerification(security) else { return nil }
        guard let bytes = try? handler.peerCertificate?.toDERBytes() else {
            return ApusError(.certificateRejected, "it was not presented")
        }
        do throws(CertificateRejection) {
            let certificate = try ServerCertificate(derBytes: bytes)
            guard !verification.checksName || ServerIdentity.matches(certificate, host: verifiedName) else {
                throw CertificateRejection.wrongHost(names: certificate.names)
            }
            trust([certificate], isHostVerified: verification.checksName)
            return nil
        } catch {
            return error.error(for: verifiedName)
        }
    }

    // MARK: End

    private func shookHands(_ result: Result<TLSHandshakeWatcher, any Error>, _ handler: NIOSSLClientHandler) {
        guard completion != nil else { return }
        switch result {
        case .failure(let error):
            finish(.failure(failure(error, handler)))
        case .success(let watcher):
            if let error = libraryVerdict(handler) { return finish(.failure(error)) }
            if hop == .proxy { return finished(watcher) }
            setup.timings.tlsEnd = setup.engine.now
            setup.timings.tlsVersion = handler.tlsVersion.map(Self.name)
            // A server that chooses no protocol speaks HTTP/1.1.
            let negotiated = watcher.negotiated.flatMap { NegotiatedProtocol(rawValue: $0) } ?? .http1
            guard negotiated == .http2 || security.protocols != .http2 else {
                return finish(.failure(TLSFailure.noHTTP2(setup.route.origin.host)))
            }
            setup.timings.negotiated = negotiated
            finished(watcher)
        }
    }

    private func finished(_ watcher: TLSHandshakeWatcher) {
        if hop == .proxy { setup.timings.connectEnd = setup.engine.now }
        let channel = setup.channel
        finish(.success(()))
        channel?.pipeline.syncOperations.removeHandler(watcher, promise: nil)
    }

    private static func name(_ version: NIOSSL.TLSVersion) -> String {
        switch version {
        case .tlsv1: "TLSv1"
        case .tlsv11: "TLSv1.1"
        case .tlsv12: "TLSv1.2"
        case .tlsv13: "TLSv1.3"
        }
    }
}
