public import Apus
public import Foundation

/// The rules by which a session manager trusts servers, as in AFNetworking.
///
/// ```swift
/// let authority = try Data(contentsOf: URL(filePath: "/etc/ssl/private-authority.cer"))
/// let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/"))
/// try manager.setSecurityPolicy(AFSecurityPolicy(pinningMode: .certificate, pinnedCertificates: [authority]))
/// ```
///
/// A manager applies a policy completely or rejects it:
///
/// - `.none` uses the configuration's trust. Depending on the policy, only the chain or nothing is checked. Allowing
///   invalid certificates while validating domain names is rejected, because it would reject every server.
/// - `.certificate` makes the pinned certificates the only roots of trust, so every chain must be valid, end in one of
///   them and, by default, name its host. Pin self-signed certificates that may sign: that of an authority, or of a
///   single server. The system's trust is not consulted, so `allowInvalidCertificates` has no effect.
///
/// Public keys cannot be pinned. Pin the certificate of the authority instead.
public struct AFSecurityPolicy: Sendable, Hashable {
    /// The pinned data that servers are compared with.
    public enum PinningMode: String, Sendable, Hashable, Codable {
        /// No pinning.
        case none
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
            certificates.formUnion(try PinnedCertificate.certificates(inFile: url as URL).map(\.der))
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
        case .certificate:
            trust.roots = .pem(try PinnedCertificate.roots(of: pinnedCertificates))
            trust.verification = validatesDomainName ? .full : .chainOnly
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
}
