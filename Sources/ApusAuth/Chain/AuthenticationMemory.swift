internal import ApusCore

/// The spaces that took a credential, so that later requests to them need not be challenged; the nonces with their
/// counts, of which no two requests get the same. Which credentials only Digest may prove is known to the whole session.
final class AuthenticationMemory: Sendable {
    private struct State {
        /// In the order in which they were made.
        var places: [AuthenticationPlace] = []

        mutating func append(_ place: AuthenticationPlace) {
            if places.count >= placeLimit { places.removeFirst() }
            places.append(place)
        }

        /// From now on only Digest proves that credential to that origin.
        mutating func leave(_ credential: Credential, at origin: Origin) {
            places.removeAll { !$0.isDigest && $0.credential == credential && $0.space.origin == origin }
        }
    }

    /// The places of a memory; of more, those that were made first are forgotten.
    private static let placeLimit = 128

    private let proofs: CredentialProofs
    private let state = Lock(State())

    /// - Parameter proofs: What Digest has proved in the session; nothing by default.
    init(proofs: CredentialProofs = CredentialProofs()) {
        self.proofs = proofs
    }

    /// What a request for that target is answered with before anybody asks; `nil` where its space is not known.
    func answer(for target: TargetURI) -> Answer? {
        while let answer = latestAnswer(for: target) {
            let (credential, origin) = (answer.credential, answer.space.origin)
            guard case .field = answer.proof, isProvedByDigest(credential, to: origin) else { return answer }
            // A handle, which has a memory of its own, has proved the credential by Digest since.
            state.withLock { $0.leave(credential, at: origin) }
        }
        return nil
    }

    private func latestAnswer(for target: TargetURI) -> Answer? {
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
        proofs.note(credential, to: space.origin)
        return state.withLock { state in
            state.leave(credential, at: space.origin)
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
        let isProved = isProvedByDigest(answer.credential, to: answer.space.origin)
        state.withLock { state in
            if case .field = answer.proof, !isProved, !state.places.contains(where: { $0.made(answer) }) {
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
        proofs.contains(credential, for: origin)
    }

    /// Notes that an answer was refused.
    func refused(_ answer: Answer) {
        state.withLock { $0.places.removeAll { $0.made(answer) } }
    }
}
