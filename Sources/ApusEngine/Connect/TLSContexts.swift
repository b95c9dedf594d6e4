internal import ApusCore
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Makes TLS contexts off the loop, where each costs milliseconds, and keeps the last few, one for each trust.
final class TLSContexts: Sendable {
    /// How many are kept.
    private static let capacity = 16

    /// The suites of TLS 1.2: forward secrecy always, authenticated encryption first. Those of TLS 1.3 are all offered.
    ///
    /// A static RSA key exchange is left out, since who gets hold of the key of a server could read what was sent before:
    /// RFC 9325 §4.1, https://www.rfc-editor.org/rfc/rfc9325.html
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA,
        .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA, .TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
    ]

    private typealias Waiter = @Sendable (Result<NIOSSLContext, ApusError>) -> Void

    private enum Entry {
        case making([Waiter])
        case ready(NIOSSLContext, use: UInt64)
    }

    private struct State {
        var entries: [Trust: Entry] = [:]
        var uses: UInt64 = 0

        mutating func find(_ trust: Trust, _ waiter: @escaping Waiter) -> (context: NIOSSLContext?, mustMake: Bool) {
            switch entries[trust] {
            case .ready(let context, _)?:
                uses += 1
                entries[trust] = .ready(context, use: uses)
                return (context, false)
            case .making(let waiters)?:
                entries[trust] = .making(waiters + [waiter])
                return (nil, false)
            case nil:
                entries[trust] = .making([waiter])
                return (nil, true)
            }
        }

        mutating func put(_ result: Result<NIOSSLContext, ApusError>, for trust: Trust) -> [Waiter] {
            guard case .making(let waiters)? = entries.removeValue(forKey: trust) else { return [] }
            if case .success(let context) = result {
                uses += 1
                entries[trust] = .ready(context, use: uses)
                evict()
            }
            return waiters
        }

        private mutating func evict() {
            guard entries.count > TLSContexts.capacity else { return }
            let oldest = entries.min { Self.use($0.value) < Self.use($1.value) }
            if let oldest { entries[oldest.key] = nil }
        }

        private static func use(_ entry: Entry) -> UInt64 {
            if case .ready(_, let use) = entry { use } else { .max }
        }
    }

    private let state = Lock(State())

    /// Calls `completion` with the context for a trust: now, or on another thread when it is made.
    func context(
        for trust: Trust,
        completion: @escaping @Sendable (Result<NIOSSLContext, ApusError>) -> Void
    ) {
        let (context, mustMake) = state.withLock { $0.find(trust, completion) }
        if let context { return completion(.success(context)) }
        guard mustMake else { return }
        BlockingThreads.crypto.submit { [self] _ in
            let result = Self.make(trust)
            for waiter in state.withLock({ $0.put(result, for: trust) }) { waiter(result) }
        }
    }

    private static func make(_ trust: Trust) -> Result<NIOSSLContext, ApusError> {
        do {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion =
                switch trust.minimumTLSVersion {
                case .v12: .tlsv12
                case .v13: .tlsv13
                }
            configuration.cipherSuiteValues = cipherSuites
            configuration.applicationProtocols = ["http/1.1"]
            // The connection is closed at once behind the farewell; for so long its memory is kept all the same.
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
            throw error
        } catch {
            throw ApusError(.invalidConfiguration, "'\(path)' can't be read as PEM certificates", underlying: error)
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
