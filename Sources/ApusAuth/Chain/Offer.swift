internal import ApusCore
internal import HTTPTypes

/// A scheme that a server offers and the client supports.
enum Offer {
    case digest(DigestChallenge, AuthenticationChallenge)
    case bearer(AuthenticationChallenge)
    case basic(AuthenticationChallenge)

    init?(_ challenge: AuthenticationChallenge) {
        if let digest = DigestChallenge(challenge) {
            self = .digest(digest, challenge)
        } else if challenge.isOf(scheme: "bearer") {
            self = .bearer(challenge)
        } else if challenge.isOf(scheme: "basic") {
            self = .basic(challenge)
        } else {
            return nil
        }
    }

    var challenge: AuthenticationChallenge {
        switch self {
        case .digest(_, let challenge), .bearer(let challenge), .basic(let challenge): challenge
        }
    }

    /// Whether the scheme does not send the password.
    var isDigest: Bool {
        if case .digest = self { true } else { false }
    }

    /// The strength of the scheme. Digest is strongest, because it does not send the password.
    private var strength: Int {
        switch self {
        case .basic: 0
        case .bearer: 1
        case .digest(let digest, _): 2 + digest.algorithm.rawValue
        }
    }

    /// Returns the supported offers of a response, strongest first. Equal ones keep the server's order.
    static func offers(in fields: HTTPFields) -> [Offer] {
        let offers = AuthenticationChallenge.challenges(in: fields).compactMap { Offer($0) }
        return offers.enumerated()
            .sorted { ($1.element.strength, $0.offset) < ($0.element.strength, $1.offset) }
            .map(\.element)
    }
}
