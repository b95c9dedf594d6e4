internal import Apus
internal import ApusCore

/// Requires a pinned public key without a valid chain.
///
/// AFNetworking compares the pins with all certificates that the server sends, although nothing binds them to it. Here
/// the server's own key counts, which the handshake proves, and otherwise a valid chain to a pinned certificate.
struct AFPinnedKeyEvaluator: ServerTrustEvaluating {
    private let keys: Set<PublicKeyPin>
    private let authorities: PinnedCertificatesTrustEvaluator

    init(_ certificates: [ServerCertificate], validateHost: Bool) {
        self.keys = Set(certificates.map { PublicKeyPin(certificate: $0) })
        self.authorities = PinnedCertificatesTrustEvaluator(
            certificates: certificates,
            acceptSelfSignedCertificates: true,
            validateHost: validateHost
        )
    }

    func evaluate(_ presented: PresentedChain, forHost host: String) async throws {
        if let server = presented.certificates.first, keys.contains(PublicKeyPin(certificate: server)) { return }
        try await authorities.evaluate(presented, forHost: host)
    }
}
