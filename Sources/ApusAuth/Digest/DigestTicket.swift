/// The data that authenticates one request: its combination of nonce and count is unique.
struct DigestTicket: Sendable {
    let challenge: DigestChallenge
    let user: String
    let clientNonce: String
    let key: String
    let count: UInt32

    private var function: HashFunction { challenge.algorithm.function }

    /// The nonce count, in eight hexadecimal digits.
    private var nonceCount: String { count.bigEndianBytes.hexadecimal }

    /// Returns the value of the `Authorization` field.
    ///
    /// Parameters are quoted or unquoted as RFC 7616 §3.4 requires.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - target: The target of the request, as it is sent.
    ///   - contentHash: The hexadecimal hash of the body, if the server asked for `auth-int`.
    /// - Returns: The octets of the value. The caller checks that they are valid in a field.
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

    /// Returns whether the server has proved that it knows the password.
    ///
    /// - Parameters:
    ///   - info: The parameters of the response's `Authentication-Info` field, RFC 7616 §3.5.
    ///   - target: The target of the request, as it was sent.
    /// - Returns: `nil` if the response has no proof, or if the proof also covers the response body.
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
        // RFC 8187, for names that a quoted string cannot contain.
        return Self.word("username*", "UTF-8''\(user.percentEncoded)")
    }

    private static func word(_ name: String, _ token: String) -> [UInt8] { Array("\(name)=\(token)".utf8) }

    private static func word(_ name: String, quoting value: some Sequence<UInt8>) -> [UInt8] {
        Array("\(name)=".utf8) + value.quoted
    }
}
