public import Apus
public import Foundation

/// The rules by which a session manager trusts servers, as in AFNetworking.
///
/// ```swift
/// let authority = try Data(contentsOf: URL(filePath: "/etc/ssl/private-authority.cer"))
/// var policy = AFSecurityPolicy(pinningMode: .certificate, pinnedCertificates: [authority])
/// // The system does not know the private authority.
/// policy.allowInvalidCertificates = true
/// let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/"))
/// try manager.setSecurityPolicy(policy)
/// ```
///
/// A manager applies a policy completely or rejects it:
///
/// - `.none` uses the configuration's trust. Depending on the policy, only the chain or nothing is checked. Allowing
///   invalid certificates while validating domain names is rejected, because it would reject every server.
/// - `.certificate` requires a chain that is valid for the configuration's trust, unless invalid certificates are
///   allowed, and a chain that is valid with the pinned certificates as its only roots. A pinned certificate can be
///   that of the server, also one that an authority has issued, or that of an authority.
/// - `.publicKey` requires a chain that is valid for the configuration's trust, in which a certificate has the public
///   key of a pinned one. If invalid certificates are allowed, the server's own certificate must have such a key, in
///   which case its name is not checked, or a chain must be valid with the pinned certificates as its only roots.
///
/// A policy with pins counts in place of the `serverTrustManager` of the configuration. An evaluator in the
/// configuration's trust counts too.
public struct AFSecurityPolicy: Sendable, Hashable {
    /// The pinned data that servers are compared with.
    public enum PinningMode: String, Sendable, Hashable, Codable {
        /// No pinning.
        case none
        /// The public keys of the pinned certificates.
        case publicKey
        /// The pinned certificates.
        case certificate
    }

    /// The trust of the session's configuration, without pinning.
    public static let `default` = AFSecurityPolicy(pinningMode: .none, pinnedCertificates: [])

    /// The pinned data that servers are compared with.
    public let pinningMode: PinningMode
    /// The pinned certificates, in DER.
    public var pinnedCertificates: Set<Data>
    /// Whether certificates without a valid chain are accepted. Default: `false`.
    public var allowInvalidCertificates = false
    /// Whether a certificate must name the host. Default: `true`.
    public var validatesDomainName = true

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - pinningMode: The pinned data that servers are compared with.
    ///   - pinnedCertificates: The pinned certificates, in DER.
    public init(pinningMode: PinningMode, pinnedCertificates: Set<Data>) {
        self.pinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
    }

    /// Creates a policy that pins the certificates of the main bundle, if the mode needs any.
    ///
    /// - Parameter pinningMode: The pinned data that servers are compared with.
    /// - Throws: `ApusError` with the code `fileUnreadable` or `invalidConfiguration`.
    public init(pinningMode: PinningMode) throws(ApusError) {
        let certificates = pinningMode == .none ? [] : try Self.certificates(in: .main)
        self.init(pinningMode: pinningMode, pinnedCertificates: certificates)
    }

    /// Returns the certificates of a bundle, from its `.cer` files in DER or PEM.
    ///
    /// - Parameter bundle: The bundle.
    /// - Returns: The certificates, in DER.
    /// - Throws: `ApusError` with the code `fileUnreadable`, or `invalidConfiguration` if a file contains no
    ///   certificate.
    public static func certificates(in bundle: Bundle) throws(ApusError) -> Set<Data> {
        var certificates: Set<Data> = []
        for url in bundle.urls(forResourcesWithExtension: "cer", subdirectory: nil) ?? [] {
            let path = (url as URL).path(percentEncoded: false)
            for certificate in try ServerCertificate.certificates(inFile: path) {
                certificates.insert(Data(certificate.derBytes))
            }
        }
        return certificates
    }

    /// Returns the trust that the policy requires.
    ///
    /// - Parameter base: The trust of the session's configuration.
    /// - Returns: The base trust, changed by the policy.
    /// - Throws: `ApusError` with the code `invalidConfiguration`.
    func trust(over base: ServerTrust) throws(ApusError) -> ServerTrust {
        var trust = base
        switch pinningMode {
        case .certificate: trust.evaluator = joined(base.evaluator, certificateEvaluator(try pins()))
        case .publicKey: trust.evaluator = joined(base.evaluator, keyEvaluator(try pins()))
        case .none:
            switch (allowInvalidCertificates, validatesDomainName) {
            case (false, true): break
            case (false, false): trust.verification = .chainOnly
            case (true, false): trust.verification = .none
            case (true, true):
                throw ApusError(
                    .invalidConfiguration,
                    "the policy would reject every server: to allow invalid certificates without a pin, set "
                        + "validatesDomainName to false, since such a certificate can have any name"
                )
            }
        }
        return trust
    }

    /// Returns the pinned certificates in a fixed order, so that equal policies give equal evaluators.
    private func pins() throws(ApusError) -> [ServerCertificate] {
        guard !pinnedCertificates.isEmpty else {
            throw ApusError(.invalidConfiguration, "the policy would reject every server: it has no pinned certificate")
        }
        var certificates: [ServerCertificate] = []
        for der in pinnedCertificates.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            certificates.append(try ServerCertificate(der: der))
        }
        return certificates
    }

    private func certificateEvaluator(_ pins: [ServerCertificate]) -> any ServerTrustEvaluating {
        let pinned = PinnedCertificatesTrustEvaluator(
            certificates: pins,
            acceptSelfSignedCertificates: true,
            validateHost: validatesDomainName
        )
        guard !allowInvalidCertificates else { return pinned }
        return CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator(validateHost: validatesDomainName), pinned])
    }

    private func keyEvaluator(_ pins: [ServerCertificate]) -> any ServerTrustEvaluating {
        guard !allowInvalidCertificates else { return AFPinnedKeyEvaluator(pins, validateHost: validatesDomainName) }
        let keys = pins.map { PublicKeyPin(certificate: $0) }
        return PublicKeysTrustEvaluator(keys: keys, validateHost: validatesDomainName)
    }

    private func joined(
        _ base: (any ServerTrustEvaluating)?,
        _ evaluator: any ServerTrustEvaluating
    ) -> any ServerTrustEvaluating {
        guard let base else { return evaluator }
        return CompositeTrustEvaluator(evaluators: [base, evaluator])
    }
}
