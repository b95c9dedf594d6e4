/// One nonce of a server's and what it is used with: a user, a nonce of this side, and a count of the requests so far.
///
/// It is a value; whoever holds it for several requests takes a ticket for each.
struct DigestSession: Sendable {
    private(set) var challenge: DigestChallenge
    private let user: String
    /// The nonce of this side: what tells this session apart from others, whatever the server's nonce is.
    let clientNonce: String
    /// The hash of A1: RFC 7616 §3.4.2.
    private let key: String
    private var count: UInt32 = 0

    /// - Parameters:
    ///   - challenge: What the server asks for.
    ///   - user: The user name.
    ///   - password: The password.
    ///   - clientNonce: Random, in letters and digits.
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

    /// What the next request is answered with; `nil` once the count has come to its end.
    mutating func ticket() -> DigestTicket? {
        guard count < .max else { return nil }
        count += 1
        return DigestTicket(challenge: challenge, user: user, clientNonce: clientNonce, key: key, count: count)
    }

    /// Goes on with a nonce that the server gave along with an answer. The key of a `-sess` algorithm stays what it was
    /// made of the challenge: it is that of the whole session.
    ///
    /// - Parameters:
    ///   - nonce: The nonce.
    ///   - ticket: What was answered. Where the session has gone on since then, nothing changes: the nonce may be one that
    ///     was used already, and would be counted from the beginning again.
    mutating func goOn(with nonce: [UInt8], after ticket: DigestTicket) {
        guard ticket.challenge.nonce == challenge.nonce, nonce != challenge.nonce, !nonce.isEmpty else { return }
        challenge.nonce = nonce
        count = 0
    }
}

/// What one request is answered with: a nonce and a count that no other request has.
struct DigestTicket: Sendable {
    let challenge: DigestChallenge
    fileprivate let user: String
    let clientNonce: String
    fileprivate let key: String
    fileprivate let count: UInt32

    private var function: HashFunction { challenge.algorithm.function }

    /// The count in eight hexadecimal digits.
    private var nonceCount: String { count.bigEndianBytes.hexadecimal }

    /// The value of the `Authorization` field.
    ///
    /// What is quoted and what is not is as RFC 7616 §3.4 has it.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - target: Its target, as it is sent.
    ///   - contentHash: The hash of its content, in hexadecimal digits, where the server wants it vouched for.
    /// - Returns: The value, in octets; whether it can stand in a field is for its reader to check.
    func authorization(method: String, target: String, contentHash: String?) -> [UInt8] {
        var words = [userName, Self.word("realm", quoting: challenge.realm), Self.word("uri", quoting: target.utf8)]
        if let name = challenge.algorithmName { words.append(Self.word("algorithm", name)) }
        words.append(Self.word("nonce", quoting: challenge.nonce))
        if challenge.quality != nil { words.append(Self.word("nc", nonceCount)) }
        if challenge.quality != nil || challenge.isSession {
            words.append(Self.word("cnonce", quoting: clientNonce.utf8))
        }
        if let quality = challenge.quality { words.append(Self.word("qop", quality.rawValue)) }
        words.append(Self.word("response", quoting: response(method: method, target, contentHash).utf8))
        if let opaque = challenge.opaque { words.append(Self.word("opaque", quoting: opaque)) }
        if challenge.hashesUser { words.append(Self.word("userhash", "true")) }
        return Array("Digest ".utf8) + words.joined(separator: ", ".utf8)
    }

    /// Whether the server has shown that it knows the password.
    ///
    /// - Parameters:
    ///   - info: The parameters of its `Authentication-Info`, RFC 7616 §3.5.
    ///   - target: The target of the request, as it was sent.
    /// - Returns: `nil` where it did not try, or vouches for its content, which is not here yet.
    func isConfirmed(by info: [String: [UInt8]], target: String) -> Bool? {
        guard let shown = info["rspauth"], challenge.quality != .authInt else { return nil }
        return String(decoding: shown, as: UTF8.self).lowercased() == response(method: "", target, nil)
    }

    private func response(method: String, _ target: String, _ contentHash: String?) -> String {
        let vouched = ["\(method):\(target)", contentHash].compactMap { $0 }.joined(separator: ":")
        var words = [Array(key.utf8), challenge.nonce]
        if let quality = challenge.quality {
            words += [nonceCount, clientNonce, quality.rawValue].map { Array($0.utf8) }
        }
        words.append(Array(function.hexadecimal(vouched).utf8))
        return function.hexadecimal(of: words)
    }

    private var userName: [UInt8] {
        if challenge.hashesUser {
            return Self.word("username", quoting: function.hexadecimal(of: [Array(user.utf8), challenge.realm]).utf8)
        }
        guard challenge.isUTF8, !user.utf8.allSatisfy({ $0 < 0x80 }) else {
            return Self.word("username", quoting: user.utf8)
        }
        // RFC 8187, for names that no quoted string can hold.
        return Self.word("username*", "UTF-8''\(user.percentEncoded)")
    }

    private static func word(_ name: String, _ token: String) -> [UInt8] { Array("\(name)=\(token)".utf8) }

    private static func word(_ name: String, quoting value: some Sequence<UInt8>) -> [UInt8] {
        Array("\(name)=".utf8) + value.quoted
    }
}

extension HashFunction {
    /// The hash of octets with colons between them, in small hexadecimal digits.
    fileprivate func hexadecimal(of parts: [[UInt8]]) -> String {
        hash(Array(parts.joined(separator: [UInt8(ascii: ":")]))).hexadecimal
    }
}
