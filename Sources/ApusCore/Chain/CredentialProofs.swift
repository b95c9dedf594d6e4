/// Records the credentials that Digest has proved to an origin. Weaker schemes must not send them there.
///
/// All authentication middleware of a session shares one instance. Sessions share one if it is in the options of their
/// configuration. It stores hashes, which are meaningless outside this process, and no credentials.
package final class CredentialProofs: RequestOption {
    private struct Proof: Equatable {
        let credential: Int
        let origin: Origin
    }

    /// The maximum number of proofs of a session. Further ones replace the oldest.
    private static let limit = 256

    /// The proofs, the latest last.
    private let proofs = Lock<[Proof]>([])

    package init() {}

    /// Records that a credential was proved to an origin.
    package func note(_ credential: some Hashable, to origin: Origin) {
        let proof = Proof(credential: credential.hashValue, origin: origin)
        proofs.withLock { proofs in
            guard proofs.last != proof else { return }
            proofs.removeAll { $0 == proof }
            if proofs.count >= Self.limit { proofs.removeFirst() }
            proofs.append(proof)
        }
    }

    /// Returns whether a credential was proved to an origin.
    package func contains(_ credential: some Hashable, for origin: Origin) -> Bool {
        let proof = Proof(credential: credential.hashValue, origin: origin)
        return proofs.withLock { $0.contains(proof) }
    }
}
