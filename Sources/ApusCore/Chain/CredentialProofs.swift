/// The credentials that Digest has proved to an origin. Weaker schemes must not send them there.
///
/// A session has one, which all its authentication middleware shares. It keeps hashes, which mean nothing outside of this
/// process, and no credential.
package final class CredentialProofs: Sendable {
    private struct Proof: Equatable {
        let credential: Int
        let origin: Origin
    }

    /// The proofs of a session; of more, those that were made first are forgotten.
    private static let limit = 256

    /// The latest last.
    private let proofs = Lock<[Proof]>([])

    package init() {}

    /// Notes that a credential was proved to an origin.
    package func note(_ credential: some Hashable, to origin: Origin) {
        let proof = Proof(credential: credential.hashValue, origin: origin)
        proofs.withLock { proofs in
            guard proofs.last != proof else { return }
            proofs.removeAll { $0 == proof }
            if proofs.count >= Self.limit { proofs.removeFirst() }
            proofs.append(proof)
        }
    }

    /// Whether a credential was proved to an origin.
    package func contains(_ credential: some Hashable, for origin: Origin) -> Bool {
        let proof = Proof(credential: credential.hashValue, origin: origin)
        return proofs.withLock { $0.contains(proof) }
    }
}
