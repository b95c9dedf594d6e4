internal import ApusCore

/// Finds the certificates of a server that may match a pin.
struct PinnedValidation: Sendable, Hashable {
    /// The roots in place of those of the trust.
    let roots: ServerTrust.Roots?
    /// Whether the chain is validated. If not, and no host either, only the server's own certificate may match: the
    /// handshake proves that the server has its key, and nothing binds the others to it.
    let performDefaultValidation: Bool
    /// Whether the chain is validated together with the host.
    let validateHost: Bool

    /// The error of an evaluator without pins.
    static let noPin = ApusError(
        .invalidConfiguration,
        "the evaluator would reject every server: it has no pin",
        hint: "add the pins of the server's keys or certificates"
    )

    /// Returns the certificates that may match.
    ///
    /// - Throws: The reason why the chain is not valid.
    func chain(of presented: PresentedChain) async throws(ApusError) -> [ServerCertificate] {
        guard performDefaultValidation || validateHost else { return Array(presented.certificates.prefix(1)) }
        return try await presented.validated(roots: roots, checksHost: validateHost)
    }

    /// Returns the reason for a chain without a pinned member.
    static func notPinned(_ chain: [ServerCertificate]) -> CertificateRejection {
        .notPinned(hashes: chain.map { PublicKeyPin(certificate: $0).description })
    }
}
