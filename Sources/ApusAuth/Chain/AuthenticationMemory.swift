internal import ApusCore

/// The spaces that took a credential, so that later requests to them need not be challenged; the nonces with their
/// counts, of which no two requests get the same; and the credentials that only Digest may prove.
final class AuthenticationMemory: Sendable {
    private struct State {
        /// In the order in which they were made.
        var places: [AuthenticationPlace] = []

        mutating func append(_ place: AuthenticationPlace) {
            if places.count >= placeLimit { places.removeFirst() }
            places.append(place)
        }

        /// The credentials that were proved by Digest, the latest last.
        var proofs: [DigestProof] = []

        /// From now on only Digest proves that credential to that origin.
        mutating func note(_ proof: DigestProof) {
            guard proofs.last != proof else { return }
            proofs.removeAll { $0 == proof }
            if proofs.count >= proofLimit { proofs.removeFirst() }
            proofs.append(proof)
            places.removeAll {
                !$0.isDigest && proof == DigestProof(origin: $0.space.origin, credential: $0.credential)
            }
        }
    }

    private struct DigestProof: Equatable {
        let origin: Origin
        let credential: Credential
    }

    /// The places of a memory; of more, those that were made first are forgotten.
    private static let placeLimit = 128

    /// The proofs of a memory; of more, those that were made first are forgotten.
    private static let proofLimit = 256

    private let state = Lock(State())

    /// What a request for that target is answered with before anybody asks; `nil` where its space is not known.
    func answer(for target: TargetURI) -> Answer? {
        state.withLock { state in
            var found: (index: Int, length: Int)?
            for (index, place) in state.places.enumerated() where place.space.origin == target.origin {
                // Of two that match as much, the later counts.
                if let length = place.lengthOfMatch(with: target), length >= found?.length ?? 0 {
                    found = (index, length)
                }
            }
            guard let found else { return nil }
            return state.places[found.index].answer(isFresh: false)
        }
    }

    /// The answer to a challenge of the Digest scheme: the next of its nonce, where that is known; else of `session`.
    func answer(
        to nonce: [UInt8],
        of space: ProtectionSpace,
        with credential: Credential,
        session: DigestSession
    ) -> Answer? {
        state.withLock { state in
            state.note(DigestProof(origin: space.origin, credential: credential))
            let known = state.places.firstIndex {
                $0.space == space && $0.credential == credential && $0.nonce == nonce
            }
            if let known, let answer = state.places[known].answer(isFresh: true) { return answer }
            var place = AuthenticationPlace(space: space, credential: credential, proof: .digest(session))
            defer { state.append(place) }
            return place.answer(isFresh: true)
        }
    }

    /// Notes that a request was let in with an answer.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - target: What it was let in to.
    ///   - nextNonce: The nonce that the server wants to see next.
    func accepted(_ answer: Answer, for target: TargetURI, nextNonce: [UInt8]?) {
        let prefixes = answer.prefixes(for: target)
        let proof = DigestProof(origin: answer.space.origin, credential: answer.credential)
        state.withLock { state in
            if case .field = answer.proof, !state.proofs.contains(proof),
                !state.places.contains(where: { $0.made(answer) })
            {
                state.append(AuthenticationPlace(answer))
            }
            guard let index = state.places.firstIndex(where: { $0.made(answer) }) else { return }
            state.places[index].add(prefixes)
            if let nextNonce { state.places[index].goOn(with: nextNonce, after: answer) }
            // What the same space took before that is done with.
            let older = state.places[..<index].filter { $0.space != answer.space || $0.isUntried }
            state.places.replaceSubrange(..<index, with: older)
        }
    }

    /// Whether a credential was sent to that origin by Digest, so that no weaker scheme may send it there.
    func isProvedByDigest(_ credential: Credential, to origin: Origin) -> Bool {
        state.withLock { $0.proofs.contains(DigestProof(origin: origin, credential: credential)) }
    }

    /// Notes that an answer was refused.
    func refused(_ answer: Answer) {
        state.withLock { $0.places.removeAll { $0.made(answer) } }
    }
}
