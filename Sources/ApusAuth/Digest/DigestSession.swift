/// One server nonce and its state: the user, the client nonce, and the number of requests so far.
///
/// A value type. Its owner takes one ticket for each request.
struct DigestSession: Sendable {
    private(set) var challenge: DigestChallenge
    private let user: String
    /// The client nonce, which identifies this session even if its server nonce changes.
    let clientNonce: String
    /// The hash of A1: RFC 7616 §3.4.2.
    private let key: String
    private var count: UInt32 = 0

    /// - Parameters:
    ///   - challenge: The server's challenge.
    ///   - user: The user name.
    ///   - password: The password.
    ///   - clientNonce: A random string of letters and digits.
    init(_ challenge: DigestChallenge, user: String, password: String, clientNonce: String) {
        let function = challenge.algorithm.function
        let (user, password) = (user.composed, password.composed)
        let secret = function.hexadecimal(of: [Array(user.utf8), challenge.realm, Array(password.utf8)])
        self.challenge = challenge
        self.user = user
        self.clientNonce = clientNonce
        self.key =
            challenge.isSession
            ? function.hexadecimal(of: [Array(secret.utf8), challenge.nonce, Array(clientNonce.utf8)]) : secret
    }

    /// Returns the ticket for the next request, or `nil` once the nonce count is exhausted.
    mutating func ticket() -> DigestTicket? {
        guard count < .max else { return nil }
        count += 1
        return DigestTicket(challenge: challenge, user: user, clientNonce: clientNonce, key: key, count: count)
    }

    /// Replaces the nonce with one that the server sent in a response. The key of a `-sess` algorithm does not change,
    /// because it is valid for the whole session.
    ///
    /// - Parameters:
    ///   - nonce: The nonce.
    ///   - ticket: The ticket of the request whose response had the nonce. If the session has moved on since then,
    ///     nothing changes: the nonce may already be in use, and its count would start over.
    mutating func advance(to nonce: [UInt8], after ticket: DigestTicket) {
        guard ticket.challenge.nonce == challenge.nonce, nonce != challenge.nonce, !nonce.isEmpty else { return }
        challenge.nonce = nonce
        count = 0
    }
}

extension HashFunction {
    /// Returns the hash of the parts joined by colons, in lowercase hexadecimal digits.
    func hexadecimal(of parts: [[UInt8]]) -> String {
        hash(Array(parts.joined(separator: [UInt8(ascii: ":")]))).hexadecimal
    }
}
