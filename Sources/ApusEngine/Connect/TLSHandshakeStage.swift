internal import ApusCore
internal import NIOCore
internal import NIOSSL

/// Performs the TLS handshake, checks the server's certificate, and learns the protocol that the server has chosen.
final class TLSHandshakeStage: ConnectStage {
    private let setup: ConnectionSetup
    private let security: TLSSecurity
    private let hop: ConnectionHop
    private let endpoint: Endpoint
    private var completion: ((Result<Void, ApusError>) -> Void)?

    init(_ setup: ConnectionSetup, _ security: TLSSecurity, with hop: ConnectionHop = .origin) {
        self.setup = setup
        self.security = security
        self.hop = hop
        self.endpoint = setup.endpoint(hop)
    }

    var limit: ConnectLimit { .tls }

    var unfinished: String { "the handshake did not finish" }

    func start(_ completion: @escaping (Result<Void, ApusError>) -> Void) {
        guard let context = hop == .proxy ? setup.proxyTLSContext : setup.tlsContext, let channel = setup.channel else {
            return completion(.failure(ApusError(.tlsFailed, "the connection has no channel")))
        }
        self.completion = completion
        if hop == .origin { setup.timings.tlsBegin = setup.engine.now }
        do {
            let handler = try NIOSSLClientHandler(context: context, serverHostname: endpoint.serverName)
            let watcher = TLSHandshakeWatcher { [weak self] in self?.shookHands($0, handler) }
            let outer = try? channel.pipeline.syncOperations.handler(type: TLSRecordTracker.self)
            let records = TLSRecordTracker()
            try channel.pipeline.syncOperations.addHandlers(records, handler, watcher)
            outer?.inner = records
        } catch {
            finish(.failure(ApusError.wrapping(error) { failure($0) }))
        }
    }

    func cancel() {
        completion = nil
    }

    private func finish(_ result: Result<Void, ApusError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    private func failure(_ error: any Error, _ handler: NIOSSLClientHandler? = nil) -> ApusError {
        // RFC 7301 §3.2: the server supports none of the offered protocols.
        if security.protocols == .http2, TLSFailure.isProtocolRefusal(error) { return noHTTP2 }
        return TLSFailure.handshake(
            error,
            host: endpoint.name,
            minimum: security.trust.minimumTLSVersion,
            certificate: handler?.peerCertificate
        )
    }

    private var noHTTP2: ApusError {
        ApusError(
            .protocolUnsupported,
            "\(setup.route.origin.host) does not support HTTP/2",
            hint: "to accept HTTP/1.1, set protocols = .automatic"
        )
    }

    private func shookHands(_ result: Result<TLSHandshakeWatcher, any Error>, _ handler: NIOSSLClientHandler) {
        guard completion != nil else { return }
        switch result {
        case .failure(let error):
            finish(.failure(failure(error, handler)))
        case .success(let watcher):
            if security.trust.verification == .full, let serverName = endpoint.serverName {
                let certificate = handler.peerCertificate
                guard let certificate, TLSIdentity.names(certificate, serverName) else {
                    return finish(.failure(TLSFailure.wrongName(serverName, certificate)))
                }
                if hop == .origin { setup.certificate = certificate }
            }
            if hop == .proxy { return finished(watcher) }
            setup.timings.tlsEnd = setup.engine.now
            setup.timings.tlsVersion = handler.tlsVersion.map(Self.name)
            // A server that chooses no protocol speaks HTTP/1.1.
            let negotiated = watcher.negotiated.flatMap { NegotiatedProtocol(rawValue: $0) } ?? .http1
            guard negotiated == .http2 || security.protocols != .http2 else { return finish(.failure(noHTTP2)) }
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

    private static func name(_ version: TLSVersion) -> String {
        switch version {
        case .tlsv1: "TLSv1"
        case .tlsv11: "TLSv1.1"
        case .tlsv12: "TLSv1.2"
        case .tlsv13: "TLSv1.3"
        }
    }
}
