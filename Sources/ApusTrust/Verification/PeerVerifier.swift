package import ApusCore
internal import ApusJSON

/// Decides whether the certificates that a server has presented are trusted.
package struct PeerVerifier: Sendable {
    /// The verifier of all sessions.
    package static let shared = PeerVerifier()

    private let validator: any ChainValidator
    private let cache: CertificateCache

    /// - Parameter validator: Builds and checks chains. Default: `DefaultChainValidator()`.
    package init(validator: any ChainValidator = DefaultChainValidator()) {
        self.init(validator: validator, cache: .shared)
    }

    init(validator: any ChainValidator = DefaultChainValidator(), cache: CertificateCache) {
        self.validator = validator
        self.cache = cache
    }

    /// Returns the verdict about a server.
    ///
    /// The default evaluation runs on the executor of the caller, and waits only while roots are read. An evaluator
    /// runs off the event loop.
    ///
    /// - Parameters:
    ///   - der: The certificates in DER as presented, that of the server first.
    ///   - host: The host of the request, without a trailing dot, or its IP address.
    ///   - trust: The trust of the request.
    ///   - addressGuard: The guard of the request's addresses, for an evaluator. Default: `nil`.
    ///   - evaluatesOnCaller: Whether an evaluator runs on the executor of the caller too. Default: `false`.
    /// - Returns: The verdict, or the error with which the requests fail: `certificateRejected`, with the reason or the
    ///   evaluator's own error as `underlying`, `invalidConfiguration` if the roots can't be read, or `cancelled`.
    package func verify(
        _ der: [[UInt8]],
        host: String,
        trust: ServerTrust,
        addressGuard: AddressGuard? = nil,
        evaluatesOnCaller: Bool = false
    ) async -> Result<PeerVerdict, ApusError> {
        guard der.reduce(0, { $0 + $1.count }) > Self.quickBytes else {
            return await verifyHere(der, host, trust, addressGuard, evaluatesOnCaller)
        }
        return await offEventLoop { await verifyHere(der, host, trust, addressGuard, evaluatesOnCaller) }
    }

    /// The size of certificates that are evaluated on the executor of the caller. Usual ones have 3 to 6 KiB. A server
    /// chooses how much work larger ones are.
    private static let quickBytes = 16 << 10
    /// The maximum number of certificates that are read: that of the server, and those that a path may use.
    private static let certificateCount = 1 + PathLimits().presentedCertificates

    private func verifyHere(
        _ der: [[UInt8]],
        _ host: String,
        _ trust: ServerTrust,
        _ addressGuard: AddressGuard?,
        _ evaluatesOnCaller: Bool
    ) async -> Result<PeerVerdict, ApusError> {
        let checksNothing = trust.evaluator == nil && trust.verification == .none
        let der = der.prefix(Self.certificateCount)
        var certificates: [ServerCertificate] = []
        var unknown: [ParsedCertificate] = []
        for (index, known) in cache.certificates(for: der).enumerated() {
            if let known {
                certificates.append(ServerCertificate(known))
                continue
            }
            do throws(CertificateRejection) {
                let certificate = try ParsedCertificate(derBytes: der[index])
                certificates.append(ServerCertificate(certificate))
                unknown.append(certificate)
            } catch {
                // Only the server's own certificate is needed. A server may send anything along.
                if index == 0, !checksNothing { return .failure(error.error(for: host)) }
            }
        }
        guard !checksNothing else { return .success(PeerVerdict(chain: certificates, isHostVerified: false)) }
        let presented = PresentedChain(
            certificates: certificates,
            host: host,
            trust: trust,
            addressGuard: addressGuard,
            validator: validator
        )
        if let evaluator = trust.evaluator {
            let failure: ApusError?
            if evaluatesOnCaller {
                failure = await Self.failure(of: evaluator, presented)
            } else {
                failure = await offEventLoop { () async -> ApusError? in
                    await Self.failure(of: evaluator, presented)
                }
            }
            if let failure { return .failure(failure) }
        } else {
            do throws(ApusError) {
                try await presented.validated(checksHost: trust.verification == .full)
            } catch {
                return .failure(error)
            }
        }
        let chain = presented.validatedChain
        // Others would displace them, and a server may send any number along.
        let kept = unknown.filter { certificate in chain?.contains { $0.contents === certificate } ?? false }
        cache.keep(kept)
        return .success(PeerVerdict(chain: chain ?? certificates, isHostVerified: presented.isHostValidated))
    }

    private static func failure(
        of evaluator: any ServerTrustEvaluating,
        _ presented: PresentedChain
    ) async -> ApusError? {
        do {
            try await evaluator.evaluate(presented, forHost: presented.host)
            return nil
        } catch {
            return refusal(error, by: evaluator, presented.host)
        }
    }

    /// Returns the error of a request whose evaluator threw.
    private static func refusal(
        _ error: any Error,
        by evaluator: any ServerTrustEvaluating,
        _ host: String
    ) -> ApusError {
        if let reason = error as? CertificateRejection { return reason.error(for: host) }
        if let error = error as? ApusError {
            switch error.code {
            case .certificateRejected, .invalidConfiguration: return error
            case .cancelled where Task.isCancelled: return error
            default: break
            }
        }
        if error is CancellationError, Task.isCancelled { return CancelReason.task.error }
        let text = Excerpt.sentence(Redaction.text(String(describing: error)))
        return ApusError(
            .certificateRejected,
            "the evaluator \(type(of: evaluator)) refused the server: \(text)",
            underlying: error
        )
    }
}

/// The certificates of a trusted server.
package struct PeerVerdict: Sendable {
    /// The validated chain, from the server's certificate to the root. Without a validation, the certificates as
    /// presented.
    package let chain: [ServerCertificate]
    /// Whether the certificate was validated with the host.
    package let isHostVerified: Bool
}
