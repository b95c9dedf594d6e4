public import ApusCore
package import Logging

/// Validates the server's certificate, and asks its authorities whether they have revoked a certificate of its chain.
///
/// ```swift
/// let soft = RevocationTrustEvaluator()
/// let hard = RevocationTrustEvaluator(options: [.ocsp, .requirePositiveResponse])
/// ```
///
/// Each certificate but the root is checked by OCSP, RFC 6960: at most 3, all at the same time. The request goes to the
/// first `http` responder that the certificate names. The response must be signed by the authority, or by a responder
/// that it has authorized for that, and must not be outdated. A revoked certificate is always rejected.
///
/// By default a status that can't be learned is accepted, and a warning is logged, unless the certificate names no
/// responder. Many authorities run none any more, and anyone on the network path can suppress the responses. With
/// `requirePositiveResponse` the server is rejected instead.
///
/// A request takes at most 5 s, and its response has at most 64 KiB. A certificate names its responder itself, so the
/// guard of the request's addresses (`AddressRules.guard`) applies to responders too, unless the evaluator has one of
/// its own. The responder learns which servers the client connects to. Answers are kept until their end, failures for
/// 30 s, and at most 1,000 of them in the process.
///
/// Revocation lists (CRLs) are not used, nor responses that a server staples to the handshake: the TLS library does not
/// provide them.
public struct RevocationTrustEvaluator: ServerTrustEvaluating {
    /// The methods of the checks, and their strictness.
    public struct Options: OptionSet, Sendable, Hashable {
        /// Asks the responders of the authorities, by OCSP. It is the only method.
        public static let ocsp = Options(rawValue: 1 << 0)
        /// Rejects the server if the status of a certificate can't be learned.
        public static let requirePositiveResponse = Options(rawValue: 1 << 3)
        /// Uses only answers that are kept, and sends no requests.
        public static let networkAccessDisabled = Options(rawValue: 1 << 4)
        /// All methods: `ocsp`.
        public static let any: Options = [.ocsp]

        /// Not available: revocation lists are not supported.
        @available(*, unavailable, message: "revocation lists are not supported; use .ocsp")
        public static var crl: Options { [] }
        /// Not available: revocation lists are not supported.
        @available(*, unavailable, message: "revocation lists are not supported; use .ocsp")
        public static var preferCRL: Options { [] }

        /// The bits of the options.
        public let rawValue: UInt

        /// Creates options from bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }
    }

    /// Whether the chain is validated first.
    public let performDefaultValidation: Bool
    /// Whether the chain is validated first, and its certificate must name the host.
    public let validateHost: Bool
    /// The methods of the checks, and their strictness.
    public let options: Options
    /// Decides which addresses of responders may be connected to. `nil` for the guard of the request, if it has one.
    public let addressGuard: AddressGuard?

    private let logger: Logger
    private let checker: RevocationChecker

    package init(
        performDefaultValidation: Bool,
        validateHost: Bool,
        options: Options,
        addressGuard: AddressGuard?,
        logger: Logger,
        checker: RevocationChecker
    ) {
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
        self.options = options
        self.addressGuard = addressGuard
        self.logger = logger
        self.checker = checker
    }

    /// Throws `CertificateRejection.revoked` if a certificate is revoked, `CertificateRejection.revocationUnknown` if
    /// that can't be learned and `requirePositiveResponse` is set, or the reason why the chain is not valid.
    public func evaluate(_ presented: PresentedChain, forHost host: String) async throws {
        guard options.contains(.ocsp) else {
            throw ApusError(
                .invalidConfiguration,
                "the evaluator has no method, so no certificate would be checked for its revocation",
                hint: "add the option ocsp"
            )
        }
        var chain: [ParsedCertificate] = []
        for certificate in try await validated(presented) {
            chain.append(try certificate.parsed())
        }
        let statuses = await self.statuses(of: chain, addressGuard ?? presented.addressGuard)
        // A cancelled check has learned nothing.
        try Task.checkCancellation()
        for (index, status) in statuses.enumerated() {
            guard case .revoked(let date) = status else { continue }
            throw Self.rejection(.revoked(on: date), of: chain[index], isServer: index == 0)
        }
        for (index, status) in statuses.enumerated() {
            guard let text = Self.doubt(about: status) else { continue }
            let rejection = Self.rejection(.revocationUnknown(text), of: chain[index], isServer: index == 0)
            guard !options.contains(.requirePositiveResponse) else { throw rejection }
            let level: Logger.Level = status == .noResponder ? .debug : .warning
            logger.log(level: level, "The certificate of \(host) is accepted, but \(rejection.description(for: host)).")
        }
    }

    /// Returns the chain. Without a validation of its own, it is the one that another evaluator has validated.
    private func validated(_ presented: PresentedChain) async throws(ApusError) -> [ServerCertificate] {
        if !performDefaultValidation, !validateHost, let chain = presented.validatedChain { return chain }
        return try await presented.validated(checksHost: validateHost)
    }

    /// Returns the status of each certificate but the root.
    private func statuses(
        of chain: [ParsedCertificate],
        _ addressGuard: AddressGuard?
    ) async -> [RevocationStatus] {
        let count = chain.count - 1
        guard count > 0 else { return [] }
        let checker = checker
        let usesNetwork = !options.contains(.networkAccessDisabled)
        return await withTaskGroup(of: (Int, RevocationStatus).self) { group in
            for index in 0..<min(count, RevocationLimits.certificates) {
                let (certificate, issuer) = (chain[index], chain[index + 1])
                group.addTask {
                    let status = await checker.status(
                        of: certificate,
                        issuer: issuer,
                        addressGuard: addressGuard,
                        usesNetwork: usesNetwork
                    )
                    return (index, status)
                }
            }
            let unchecked = "only \(RevocationLimits.certificates) certificates of a chain are checked"
            var statuses = [RevocationStatus](repeating: .unknown(unchecked), count: count)
            for await (index, status) in group { statuses[index] = status }
            return statuses
        }
    }

    /// Returns the reason why a status is not known. `nil` if it is.
    private static func doubt(about status: RevocationStatus) -> String? {
        switch status {
        case .good, .revoked: nil
        case .unknown(let text): text
        case .noResponder: "it names no responder that can be asked"
        }
    }

    private static func rejection(
        _ reason: CertificateRejection,
        of certificate: ParsedCertificate,
        isServer: Bool
    ) -> CertificateRejection {
        isServer ? reason : .authority(subject: certificate.subjectText, reason)
    }

    /// Whether two decide in the same way. Their loggers make no difference.
    public static func == (one: RevocationTrustEvaluator, other: RevocationTrustEvaluator) -> Bool {
        one.performDefaultValidation == other.performDefaultValidation && one.validateHost == other.validateHost
            && one.options == other.options && one.addressGuard == other.addressGuard && one.checker === other.checker
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(performDefaultValidation)
        hasher.combine(validateHost)
        hasher.combine(options)
        hasher.combine(addressGuard)
        hasher.combine(ObjectIdentifier(checker))
    }
}
