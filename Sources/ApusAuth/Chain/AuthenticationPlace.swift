internal import ApusCore

/// A space that took a credential, or is about to, and what its requests are answered with.
struct AuthenticationPlace {
    enum Proof {
        case fixed(Answer.Proof)
        case digest(DigestSession)
    }

    /// The prefixes of a place; of more, the first are forgotten.
    private static let prefixLimit = 16

    let space: ProtectionSpace
    let credential: Credential
    private var proof: Proof
    /// What the paths begin with that took the credential.
    private var prefixes: [String] = []

    init(space: ProtectionSpace, credential: Credential, proof: Proof) {
        self.space = space
        self.credential = credential
        self.proof = proof
    }

    /// The place of an answer that is the same for every request.
    init(_ answer: Answer) {
        self.init(space: answer.space, credential: answer.credential, proof: .fixed(answer.proof))
    }

    /// Whether nothing has taken the credential so far.
    var isUntried: Bool { prefixes.isEmpty }

    var isDigest: Bool { nonce != nil }

    var nonce: [UInt8]? {
        if case .digest(let session) = proof { session.challenge.nonce } else { nil }
    }

    /// Whether that answer came from here.
    func made(_ answer: Answer) -> Bool {
        guard space == answer.space, credential == answer.credential else { return false }
        switch (proof, answer.proof) {
        case (.digest(let session), .digest(let ticket)): return session.clientNonce == ticket.clientNonce
        case (.fixed, .field): return true
        default: return false
        }
    }

    /// The next answer; `nil` where there is none left.
    mutating func answer(isFresh: Bool) -> Answer? {
        let next: Answer.Proof
        switch proof {
        case .fixed(let fixed):
            next = fixed
        case .digest(var session):
            guard let ticket = session.ticket() else { return nil }
            proof = .digest(session)
            next = .digest(ticket)
        }
        return Answer(space: space, credential: credential, proof: next, isFresh: isFresh)
    }

    /// Goes on with the nonce that the server wants to see after that answer.
    mutating func goOn(with nonce: [UInt8], after answer: Answer) {
        guard case .digest(var session) = proof, case .digest(let ticket) = answer.proof else { return }
        session.goOn(with: nonce, after: ticket)
        proof = .digest(session)
    }

    mutating func add(_ new: [String]) {
        for prefix in new where !prefixes.contains(where: { prefix.hasPrefix($0) }) {
            prefixes.removeAll { $0.hasPrefix(prefix) }
            prefixes.append(prefix)
        }
        prefixes.removeFirst(max(0, prefixes.count - Self.prefixLimit))
    }

    /// How much of the path stands in the longest prefix that it begins with; `nil` where it begins with none.
    func lengthOfMatch(with target: TargetURI) -> Int? {
        guard !prefixes.isEmpty, !target.climbs else { return nil }
        return prefixes.filter { target.path.hasPrefix($0) }.map(\.utf8.count).max()
    }
}

extension Answer {
    /// The most URIs of a `domain` that are read.
    private static let domainLimit = 16

    /// What the paths of a space begin with that has let a request in.
    ///
    /// For Basic, and Bearer alike, RFC 7617 §2.2: everything at the depth of the path, or deeper. For Digest, RFC 7616
    /// §3.3: what the server names, as far as it is of the same origin, or else everything.
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
    /// Whether the path has segments that lead upwards, so that what it begins with says little of where it leads.
    fileprivate var climbs: Bool { PercentEncoding.decode(path).contains("/..") }
}
