internal import ApusCore

/// Remembers the spaces that accepted a credential, so that later requests need no challenge. Counts the uses of each
/// nonce, so that no two requests share a count. The whole session shares which credentials are limited to Digest.
final class AuthenticationCache: Sendable {
    private struct State {
        /// The places, in order of creation.
        var places: [ProtectionSpaceEntry] = []

        mutating func append(_ place: ProtectionSpaceEntry) {
            if places.count >= placeLimit { places.removeFirst() }
            places.append(place)
        }

        /// Limits that credential to Digest for that origin.
        mutating func leave(_ credential: Credential, at origin: Origin) {
            places.removeAll { !$0.isDigest && $0.credential == credential && $0.space.origin == origin }
        }
    }

    /// The maximum number of places. The oldest ones are removed.
    private static let placeLimit = 128

    private let proofs: CredentialProofs
    private let state = Lock(State())

    /// - Parameter proofs: The credentials that were used with Digest in the session. Default: none.
    init(proofs: CredentialProofs = CredentialProofs()) {
        self.proofs = proofs
    }

    /// Returns the answer to send with a request before any challenge, or `nil` if no space covers its target.
    func answer(for target: TargetURI) -> Authorization? {
        while let answer = latestAnswer(for: target) {
            let (credential, origin) = (answer.credential, answer.space.origin)
            guard case .field = answer.proof, isProvedByDigest(credential, to: origin) else { return answer }
            // Since then, a handle with its own memory has used the credential with Digest.
            state.withLock { $0.leave(credential, at: origin) }
        }
        return nil
    }

    private func latestAnswer(for target: TargetURI) -> Authorization? {
        state.withLock { state in
            var found: (index: Int, length: Int)?
            for (index, place) in state.places.enumerated() where place.space.origin == target.origin {
                // If two match equally, the later one is used.
                if let length = place.lengthOfMatch(with: target), length >= found?.length ?? 0 {
                    found = (index, length)
                }
            }
            guard let found else { return nil }
            return state.places[found.index].answer(isFresh: false)
        }
    }

    /// Returns the answer to a Digest challenge: the next one of a known nonce, or else the first of `session`.
    func answer(
        to nonce: [UInt8],
        of space: ProtectionSpace,
        with credential: Credential,
        session: DigestSession
    ) -> Authorization? {
        proofs.note(credential, to: space.origin)
        return state.withLock { state in
            state.leave(credential, at: space.origin)
            let known = state.places.firstIndex {
                $0.space == space && $0.credential == credential && $0.nonce == nonce
            }
            if let known, let answer = state.places[known].answer(isFresh: true) { return answer }
            var place = ProtectionSpaceEntry(space: space, credential: credential, proof: .digest(session))
            defer { state.append(place) }
            return place.answer(isFresh: true)
        }
    }

    /// Records that the server accepted an answer.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - target: The target of the accepted request.
    ///   - nextNonce: The nonce that the server expects next.
    func accepted(_ answer: Authorization, for target: TargetURI, nextNonce: [UInt8]?) {
        let prefixes = answer.prefixes(for: target)
        let isProved = isProvedByDigest(answer.credential, to: answer.space.origin)
        state.withLock { state in
            if case .field = answer.proof, !isProved, !state.places.contains(where: { $0.made(answer) }) {
                state.append(ProtectionSpaceEntry(answer))
            }
            guard let index = state.places.firstIndex(where: { $0.made(answer) }) else { return }
            state.places[index].add(prefixes)
            if let nextNonce { state.places[index].goOn(with: nextNonce, after: answer) }
            // This place supersedes older ones of the same space.
            let older = state.places[..<index].filter { $0.space != answer.space || $0.isUntried }
            state.places.replaceSubrange(..<index, with: older)
        }
    }

    /// Returns whether a credential was used with Digest at that origin, so that no weaker scheme may send it there.
    func isProvedByDigest(_ credential: Credential, to origin: Origin) -> Bool {
        proofs.contains(credential, for: origin)
    }

    /// Records that the server refused an answer.
    func refused(_ answer: Authorization) {
        state.withLock { $0.places.removeAll { $0.made(answer) } }
    }
}
