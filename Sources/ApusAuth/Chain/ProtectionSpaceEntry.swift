internal import ApusCore

/// A protection space with its credential, and the source of authorizations for its requests.
struct ProtectionSpaceEntry {
    enum Proof {
        case fixed(Authorization.Proof)
        case digest(DigestSession)
    }

    /// The maximum number of prefixes of an entry. The oldest ones are removed.
    private static let prefixLimit = 16

    let space: ProtectionSpace
    let credential: Credential
    private var proof: Proof
    /// The path prefixes for which the credential was accepted.
    private var prefixes: [String] = []

    init(space: ProtectionSpace, credential: Credential, proof: Proof) {
        self.space = space
        self.credential = credential
        self.proof = proof
    }

    /// Creates the entry for an authorization that is the same for every request.
    init(_ authorization: Authorization) {
        self.init(space: authorization.space, credential: authorization.credential, proof: .fixed(authorization.proof))
    }

    /// Whether the credential has not been accepted yet.
    var isUntried: Bool { prefixes.isEmpty }

    var isDigest: Bool { nonce != nil }

    var nonce: [UInt8]? {
        if case .digest(let session) = proof { session.challenge.nonce } else { nil }
    }

    /// Returns whether this entry created the authorization.
    func created(_ authorization: Authorization) -> Bool {
        guard space == authorization.space, credential == authorization.credential else { return false }
        switch (proof, authorization.proof) {
        case (.digest(let session), .digest(let ticket)): return session.clientNonce == ticket.clientNonce
        case (.fixed, .field): return true
        default: return false
        }
    }

    /// Returns the next authorization, or `nil` if the nonce count is exhausted.
    mutating func authorization(isFresh: Bool) -> Authorization? {
        let next: Authorization.Proof
        switch proof {
        case .fixed(let fixed):
            next = fixed
        case .digest(var session):
            guard let ticket = session.ticket() else { return nil }
            proof = .digest(session)
            next = .digest(ticket)
        }
        return Authorization(space: space, credential: credential, proof: next, isFresh: isFresh)
    }

    /// Continues with the nonce that the server sent after that authorization.
    mutating func advance(to nonce: [UInt8], after authorization: Authorization) {
        guard case .digest(var session) = proof, case .digest(let ticket) = authorization.proof else { return }
        session.advance(to: nonce, after: ticket)
        proof = .digest(session)
    }

    mutating func add(_ new: [String]) {
        for prefix in new where !prefixes.contains(where: { prefix.hasPrefix($0) }) {
            prefixes.removeAll { $0.hasPrefix(prefix) }
            prefixes.append(prefix)
        }
        prefixes.removeFirst(max(0, prefixes.count - Self.prefixLimit))
    }

    /// Returns the length in bytes of the longest prefix that matches the path, or `nil` if none matches.
    func lengthOfMatch(with target: TargetURI) -> Int? {
        guard !prefixes.isEmpty, !target.climbs else { return nil }
        return prefixes.filter { target.path.hasPrefix($0) }.map(\.utf8.count).max()
    }
}

extension Authorization {
    /// The maximum number of URIs read from a `domain` parameter.
    private static let domainLimit = 16

    /// Returns the path prefixes of the space that accepted a request.
    ///
    /// Basic and Bearer, RFC 7617 §2.2: all paths at the depth of the request's path or deeper. Digest, RFC 7616 §3.3:
    /// the URIs of `domain`, or everything without it. If all of them are on other origins, the rule for Basic applies.
    func prefixes(for target: TargetURI) -> [String] {
        let path = target.path.prefix { $0 != "?" }
        let own = String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
        guard case .digest(let ticket) = proof else { return [own] }
        guard !ticket.challenge.domain.isEmpty else { return ["/"] }
        let named = ticket.challenge.domain.prefix(Self.domainLimit)
            .compactMap { try? target.resolving(String($0)) }
            .filter { $0.origin == target.origin }
            .map(\.path)
        return named.isEmpty ? [own] : named
    }
}

extension TargetURI {
    /// Whether the path has segments that lead upwards, in which case a prefix match is not reliable.
    fileprivate var climbs: Bool { PercentEncoding.decode(path).contains("/..") }
}
