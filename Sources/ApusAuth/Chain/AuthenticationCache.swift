internal import ApusCore

/// Remembers the spaces that accepted a credential, so that later requests need no challenge. Counts the uses of each
/// nonce, so that no two requests share a count. The whole session shares which credentials are limited to Digest.
final class AuthenticationCache: Sendable {
    private struct State {
        /// The entries, in order of creation.
        var entries: [ProtectionSpaceEntry] = []

        mutating func append(_ entry: ProtectionSpaceEntry) {
            if entries.count >= entryLimit { entries.removeFirst() }
            entries.append(entry)
        }

        /// Limits that credential to Digest for that origin.
        mutating func leave(_ credential: Credential, at origin: Origin) {
            entries.removeAll { !$0.isDigest && $0.credential == credential && $0.space.origin == origin }
        }
    }

    /// The maximum number of entries. The oldest ones are removed.
    private static let entryLimit = 128

    private let proofs: CredentialProofs
    private let state = Lock(State())

    /// - Parameter proofs: The credentials that were used with Digest in the session. Default: none.
    init(proofs: CredentialProofs = CredentialProofs()) {
        self.proofs = proofs
    }

    /// Returns the authorization to send with a request before any challenge, or `nil` if no space covers its target.
    func authorization(for target: TargetURI) -> Authorization? {
        while let authorization = latestAuthorization(for: target) {
            let (credential, origin) = (authorization.credential, authorization.space.origin)
            guard case .field = authorization.proof, isProvedByDigest(credential, to: origin) else {
                return authorization
            }
            // Since then, a handle with its own memory has used the credential with Digest.
            state.withLock { $0.leave(credential, at: origin) }
        }
        return nil
    }

    private func latestAuthorization(for target: TargetURI) -> Authorization? {
        state.withLock { state in
            var found: (index: Int, length: Int)?
            for (index, entry) in state.entries.enumerated() where entry.space.origin == target.origin {
                // If two match equally, the later one is used.
                if let length = entry.lengthOfMatch(with: target), length >= found?.length ?? 0 {
                    found = (index, length)
                }
            }
            guard let found else { return nil }
            return state.entries[found.index].authorization(isFresh: false)
        }
    }

    /// Returns the authorization for a Digest challenge: the next one of a known nonce, or else the first of `session`.
    func authorization(
        for nonce: [UInt8],
        of space: ProtectionSpace,
        with credential: Credential,
        session: DigestSession
    ) -> Authorization? {
        proofs.note(credential, to: space.origin)
        return state.withLock { state in
            state.leave(credential, at: space.origin)
            let known = state.entries.firstIndex {
                $0.space == space && $0.credential == credential && $0.nonce == nonce
            }
            if let known, let authorization = state.entries[known].authorization(isFresh: true) { return authorization }
            var entry = ProtectionSpaceEntry(space: space, credential: credential, proof: .digest(session))
            defer { state.append(entry) }
            return entry.authorization(isFresh: true)
        }
    }

    /// Records that the server accepted an authorization.
    ///
    /// - Parameters:
    ///   - authorization: The authorization.
    ///   - target: The target of the accepted request.
    ///   - nextNonce: The nonce that the server expects next.
    func accepted(_ authorization: Authorization, for target: TargetURI, nextNonce: [UInt8]?) {
        let prefixes = authorization.prefixes(for: target)
        let isProved = isProvedByDigest(authorization.credential, to: authorization.space.origin)
        state.withLock { state in
            if case .field = authorization.proof, !isProved,
                !state.entries.contains(where: { $0.created(authorization) })
            {
                state.append(ProtectionSpaceEntry(authorization))
            }
            guard let index = state.entries.firstIndex(where: { $0.created(authorization) }) else { return }
            state.entries[index].add(prefixes)
            if let nextNonce { state.entries[index].advance(to: nextNonce, after: authorization) }
            // This entry supersedes older ones of the same space.
            let older = state.entries[..<index].filter { $0.space != authorization.space || $0.isUntried }
            state.entries.replaceSubrange(..<index, with: older)
        }
    }

    /// Returns whether a credential was used with Digest at that origin, so that no weaker scheme may send it there.
    func isProvedByDigest(_ credential: Credential, to origin: Origin) -> Bool {
        proofs.contains(credential, for: origin)
    }

    /// Records that the server refused an authorization.
    func refused(_ authorization: Authorization) {
        state.withLock { $0.entries.removeAll { $0.created(authorization) } }
    }
}
