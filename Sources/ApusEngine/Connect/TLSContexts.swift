internal import ApusCore
internal import NIOCore
internal import NIOSSL

/// Creates TLS contexts off the event loop, since each takes milliseconds, and caches the latest by their settings.
final class TLSContexts: Sendable {
    /// The maximum number of cached contexts.
    private static let capacity = 16

    /// Creates contexts for all sessions. If a certificate file can't be read because its file system hangs, only the
    /// threads for that trust are blocked.
    private static let making = SharedJobs<TLSSecurity, NIOSSLContext>(
        limits: SharedJobsLimits(threadCount: 16, queuedCount: 1024),
        refusal: { ApusError(.invalidConfiguration, "TLS can't be set up: \($0.formatted)") },
        work: make
    )

    /// The TLS 1.2 cipher suites: all have forward secrecy, AEAD suites come first. All TLS 1.3 suites are offered.
    ///
    /// Static RSA key exchange is left out: a server's key would decrypt all its recorded connections.
    /// RFC 9325 §4.1, https://www.rfc-editor.org/rfc/rfc9325.html
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA,
        .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA, .TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
    ]

    private struct State {
        private var contexts: [TLSSecurity: (context: NIOSSLContext, use: UInt64)] = [:]
        private var uses: UInt64 = 0

        mutating func find(_ security: TLSSecurity) -> NIOSSLContext? {
            guard let context = contexts[security]?.context else { return nil }
            keep(context, for: security)
            return context
        }

        mutating func keep(_ context: NIOSSLContext, for security: TLSSecurity) {
            uses += 1
            contexts[security] = (context, uses)
            guard contexts.count > TLSContexts.capacity else { return }
            if let oldest = contexts.min(by: { $0.value.use < $1.value.use }) { contexts[oldest.key] = nil }
        }
    }

    private let state = Lock(State())

    /// Calls `completion` with the context for these settings: immediately if it is cached, otherwise on another thread. The
    /// returned interest can be withdrawn to prevent the call.
    @discardableResult
    func context(
        for security: TLSSecurity,
        completion: @escaping @Sendable (Result<NIOSSLContext, ApusError>) -> Void
    ) -> JobInterest {
        if let context = state.withLock({ $0.find(security) }) {
            completion(.success(context))
            return .none
        }
        return Self.making.run(security) { [self] result in
            if case .success(let context) = result { state.withLock { $0.keep(context, for: security) } }
            completion(result)
        }
    }

    @Sendable private static func make(_ security: TLSSecurity) -> Result<NIOSSLContext, ApusError> {
        let trust = security.trust
        do {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion =
                switch trust.minimumTLSVersion {
                case .v12: .tlsv12
                case .v13: .tlsv13
                }
            configuration.cipherSuiteValues = cipherSuites
            configuration.applicationProtocols = security.offeredProtocols
            // The connection closes right after its close_notify, but its memory is kept for this long.
            configuration.shutdownTimeout = .milliseconds(50)
            configuration.certificateVerification =
                switch trust.verification {
                case .full: .fullVerification
                case .chainOnly: .noHostnameVerification
                case .none: .none
                }
            switch trust.roots {
            case .system: break
            case .file(let path): configuration.trustRoots = .certificates(try certificates(inFile: path))
            case .pem(let text): configuration.trustRoots = .certificates(try certificates(inText: text))
            }
            return .success(try NIOSSLContext(configuration: configuration))
        } catch {
            return .failure(
                ApusError.wrapping(error) {
                    ApusError(.invalidConfiguration, "TLS can't be set up: \($0)", underlying: $0)
                }
            )
        }
    }

    private static func certificates(inFile path: String) throws(ApusError) -> [NIOSSLCertificate] {
        do {
            return try require(NIOSSLCertificate.fromPEMFile(path), "'\(path)'")
        } catch let error as ApusError {
            throw error.with(fileAt: path)
        } catch {
            throw ApusError(.invalidConfiguration, "'\(path)' can't be read as PEM certificates", underlying: error)
                .with(fileAt: path)
        }
    }

    private static func certificates(inText text: String) throws(ApusError) -> [NIOSSLCertificate] {
        do {
            return try require(NIOSSLCertificate.fromPEMBytes(Array(text.utf8)), "the PEM text")
        } catch let error as ApusError {
            throw error
        } catch {
            throw ApusError(
                .invalidConfiguration,
                "the PEM text of the trust roots has no certificates",
                underlying: error
            )
        }
    }

    private static func require(
        _ certificates: [NIOSSLCertificate],
        _ place: String
    ) throws(ApusError) -> [NIOSSLCertificate] {
        guard !certificates.isEmpty else { throw ApusError(.invalidConfiguration, "\(place) has no certificate") }
        return certificates
    }
}
