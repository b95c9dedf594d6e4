public import Apus
public import Foundation

/// Whom a session manager trusts, in AFNetworking's words.
///
/// ```swift
/// let authority = try Data(contentsOf: URL(filePath: "/etc/ssl/private-authority.cer"))
/// let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/"))
/// try manager.setSecurityPolicy(AFSecurityPolicy(pinningMode: .certificate, pinnedCertificates: [authority]))
/// ```
///
/// A manager keeps to a policy or refuses it; none is kept by half:
///
/// - `.none` is the configuration's trust, with the chain alone, or nothing at all, looked at where the policy says so. To
///   allow invalid certificates and validate their names would refuse every server, and is refused.
/// - `.certificate` makes the pinned certificates the only ones that a chain may end in, so that each chain has one of
///   them, is valid, and names its host. They are certificates that signed themselves, and may: of an authority, or of a
///   server alone. Whether the system trusts them as well is not asked, so that `allowInvalidCertificates` changes
///   nothing.
///
/// Public keys can't be pinned; pin the certificate of the authority.
public struct AFSecurityPolicy: Sendable, Hashable {
    /// What servers are compared with.
    public enum PinningMode: String, Sendable, Hashable, Codable {
        /// Nothing.
        case none
        /// The pinned certificates.
        case certificate
    }

    /// Trusts as the session's configuration says, without a pin.
    public static let `default` = AFSecurityPolicy(pinningMode: .none, pinnedCertificates: [])

    /// What servers are compared with.
    public let pinningMode: PinningMode
    /// The pinned certificates, in DER.
    public var pinnedCertificates: Set<Data>
    /// Whether certificates are taken that nobody vouches for; not by default.
    public var allowInvalidCertificates = false
    /// Whether a certificate has to name the host; it has to by default.
    public var validatesDomainName = true

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - pinningMode: What servers are compared with.
    ///   - pinnedCertificates: The pinned certificates, in DER.
    public init(pinningMode: PinningMode, pinnedCertificates: Set<Data>) {
        self.pinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
    }

    /// Makes a policy with the certificates of the program's own bundle, where the mode needs any.
    ///
    /// - Parameter pinningMode: What servers are compared with.
    /// - Throws: `ApusError` with the code `fileUnreadable` or `invalidConfiguration`.
    public init(pinningMode: PinningMode) throws(ApusError) {
        let certificates = pinningMode == .none ? [] : try Self.certificates(in: .main)
        self.init(pinningMode: pinningMode, pinnedCertificates: certificates)
    }

    /// The certificates of a bundle: its files whose names end in `.cer`, in DER or PEM.
    ///
    /// - Parameter bundle: The bundle.
    /// - Returns: The certificates, in DER.
    /// - Throws: `ApusError` with the code `fileUnreadable`, or `invalidConfiguration` where one of the files has no
    ///   certificate.
    public static func certificates(in bundle: Bundle) throws(ApusError) -> Set<Data> {
        var certificates: Set<Data> = []
        for url in bundle.urls(forResourcesWithExtension: "cer", subdirectory: nil) ?? [] {
            certificates.formUnion(try PinnedCertificate.certificates(inFile: url as URL).map(\.der))
        }
        return certificates
    }

    /// The trust that the policy asks for.
    ///
    /// - Parameter base: What the session's configuration says.
    /// - Returns: That, changed as the policy asks for.
    /// - Throws: `ApusError` with the code `invalidConfiguration`.
    func trust(over base: Trust) throws(ApusError) -> Trust {
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
                    "the policy would refuse every server: who allows invalid certificates without a pin has to set "
                        + "validatesDomainName to false, since anybody can make one for any name"
                )
            }
        }
        return trust
    }
}
