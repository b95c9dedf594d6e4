package import Foundation

/// The certificates that a server has presented in a handshake.
public final class PresentedChain: Sendable {
    /// The certificates as the server has sent them, its own first. The others can have any order, and may be
    /// unrelated.
    public let certificates: [ServerCertificate]
    /// The host of the request, without a trailing dot, or its IP address.
    public let host: String
    /// The trust settings of the request.
    public let trust: ServerTrust
    /// The guard of the request's addresses, for evaluators that send requests of their own. `nil` for none.
    package let addressGuard: AddressGuard?

    private let validator: any ChainValidator
    /// The latest chain that was validated, and whether one was validated with the host.
    private let latest = Lock<(chain: [ServerCertificate]?, namesHost: Bool)>((nil, false))

    package init(
        certificates: [ServerCertificate],
        host: String,
        trust: ServerTrust,
        addressGuard: AddressGuard? = nil,
        validator: any ChainValidator
    ) {
        self.certificates = certificates
        self.host = host
        self.trust = trust
        self.addressGuard = addressGuard
        self.validator = validator
    }

    /// Validates the server's certificate: builds a chain from it to a root, and checks each certificate, RFC 5280, and
    /// the host, RFC 9525.
    ///
    /// - Parameters:
    ///   - roots: The roots in which the chain must end. `nil` for those of `trust`. Default: `nil`.
    ///   - checksHost: Whether the certificate must name the host. Default: `true`.
    /// - Returns: The chain, from the server's certificate to the root.
    /// - Throws: `ApusError` with the code `certificateRejected`, whose `underlying` is a `CertificateRejection`, or
    ///   with `invalidConfiguration` if the roots can't be read.
    @discardableResult
    public func validated(
        roots: ServerTrust.Roots? = nil,
        checksHost: Bool = true
    ) async throws(ApusError) -> [ServerCertificate] {
        let chain = try await validator.validate(
            certificates,
            host: checksHost ? host : nil,
            roots: roots ?? trust.roots,
            at: Date()
        )
        latest.withLock { $0 = (chain, $0.namesHost || checksHost) }
        return chain
    }

    /// The latest chain that was validated. `nil` if none was.
    package var validatedChain: [ServerCertificate]? { latest.withLock { $0.chain } }

    /// Whether a chain was validated together with the host.
    package var isHostValidated: Bool { latest.withLock { $0.namesHost } }
}

/// Builds and checks chains of certificates.
package protocol ChainValidator: Sendable {
    /// Returns a valid chain from the first certificate to a root.
    ///
    /// - Parameters:
    ///   - certificates: The certificates as presented, that of the server first.
    ///   - host: The host or IP address that the certificate must name. `nil` for any.
    ///   - roots: The roots in which the chain must end.
    ///   - date: The time at which all certificates must be valid.
    /// - Returns: The chain, from the first certificate to the root.
    /// - Throws: `certificateRejected`, or `invalidConfiguration` if the roots can't be read.
    func validate(
        _ certificates: [ServerCertificate],
        host: String?,
        roots: ServerTrust.Roots,
        at date: Date
    ) async throws(ApusError) -> [ServerCertificate]
}
