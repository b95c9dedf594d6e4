internal import ApusCore
internal import ApusTrust
internal import NIOCore
internal import NIOSSL

/// Creates TLS contexts off the event loop, since each takes milliseconds, and caches the latest by their settings.
final class TLSContexts: Sendable {
    /// The maximum number of cached contexts.
    private static let capacity = 16

    /// Creates contexts for all sessions. If a file can't be read because its file system hangs, only the threads for
    /// those settings are blocked.
    private static let making = SharedJobs<Key, NIOSSLContext>(
        limits: SharedJobsLimits(threadCount: 16, queuedCount: 1024),
        refusal: { ApusError(.invalidConfiguration, "TLS can't be set up: \($0.formatted)") },
        work: make
    )

    /// The settings that determine a context. Whether a server is trusted is decided outside of it, except on systems
    /// whose roots only the library can use.
    private struct Key: Hashable, Sendable {
        let tls: TLSSettings
        let offeredProtocols: [String]
        let verification: LibraryVerification?
        /// The roots that the server's chain must end in, so that they are read before a connection is made. `nil` if the
        /// library or an evaluator verifies the server.
        let roots: ServerTrust.Roots?

        init(_ security: TLSSecurity) {
            var tls = security.tls
            // These belong to a connection.
            tls.serverName = nil
            tls.verifiedName = nil
            self.tls = tls
            self.offeredProtocols = security.offeredProtocols
            let trust = security.trust
            self.verification = LibraryVerification(security)
            let needsRoots =
                LibraryVerification(security) == nil && trust.evaluator == nil && trust.verification != .none
            self.roots = needsRoots ? trust.roots : nil
        }
    }

    private let state = Lock(RecentlyUsed<Key, NIOSSLContext>(capacity: TLSContexts.capacity))

    /// Calls `completion` with the context for these settings: immediately if it is cached, otherwise on another thread. The
    /// returned interest can be withdrawn to prevent the call.
    @discardableResult
    func context(
        for security: TLSSecurity,
        completion: @escaping @Sendable (Result<NIOSSLContext, ApusError>) -> Void
    ) -> JobInterest {
        let key = Key(security)
        if let context = state.withLock({ $0.find(key) }) {
            completion(.success(context))
            return .none
        }
        return Self.making.run(key) { [self] result in
            if case .success(let context) = result { state.withLock { $0.keep(context, for: key) } }
            completion(result)
        }
    }

    @Sendable private static func make(_ key: Key) -> Result<NIOSSLContext, ApusError> {
        do {
            if let roots = key.roots { try RootStore.shared.load(roots) }
            var configuration = try TLSConfiguration(key.tls)
            configuration.applicationProtocols = key.offeredProtocols
            if let verification = key.verification {
                verification.apply(to: &configuration)
            } else {
                // The callback of the handshake verifies the server, and the library calls it only if it verifies too.
                configuration.certificateVerification = .noHostnameVerification
                configuration.trustRoots = .certificates([])
            }
            return .success(try NIOSSLContext(configuration: configuration))
        } catch {
            return .failure(
                ApusError.wrapping(error) {
                    ApusError(
                        .invalidConfiguration,
                        "TLS can't be set up: \(TLSFailure.setupWords(for: $0))",
                        underlying: TLSFailure.cause(of: $0)
                    )
                }
            )
        }
    }
}
