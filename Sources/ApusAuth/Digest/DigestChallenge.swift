/// A challenge of the Digest scheme that the client supports.
///
/// See RFC 7616 §3.3, https://www.rfc-editor.org/rfc/rfc7616.html#section-3.3
struct DigestChallenge: Sendable, Hashable {
    /// The supported hash functions, weakest first.
    enum Algorithm: Int, Comparable {
        case md5
        case sha256
        case sha512to256

        var function: HashFunction {
            switch self {
            case .md5: .md5
            case .sha256: .sha256
            case .sha512to256: .sha512to256
            }
        }

        static func < (left: Algorithm, right: Algorithm) -> Bool { left.rawValue < right.rawValue }
    }

    /// The quality of protection: the parts of the request that the digest covers.
    enum Quality: String {
        /// The method and the target.
        case auth
        /// The method, the target and the body.
        case authInt = "auth-int"
    }

    /// Realm, nonce and opaque are kept as octets: they are hashed and sent back unchanged, RFC 7616 §3.4.
    let realm: [UInt8]
    var nonce: [UInt8]
    let opaque: [UInt8]?
    let algorithm: Algorithm
    /// Whether the key also includes both nonces (a `-sess` algorithm).
    let isSession: Bool
    /// The algorithm as the server spells it, or `nil` if it names none, which means MD5.
    let algorithmName: String?
    /// The quality of protection, or `nil` for a server that supports RFC 2069 alone.
    let quality: Quality?
    let hashesUser: Bool
    let isStale: Bool
    let isUTF8: Bool
    /// The URIs that the digest is also valid for.
    let domain: [Substring]

    /// Parses a challenge. Returns `nil` if it has another scheme or asks for an unsupported algorithm or quality.
    init?(_ challenge: AuthenticationChallenge) {
        guard challenge.isOf(scheme: "digest"), let nonce = challenge.octets(of: "nonce"), !nonce.isEmpty else {
            return nil
        }
        let name = challenge["algorithm"]
        let words = (name ?? "MD5").uppercased()
        isSession = words.hasSuffix("-SESS")
        switch isSession ? words.dropLast(5) : words[...] {
        case "MD5": algorithm = .md5
        case "SHA-256": algorithm = .sha256
        case "SHA-512-256": algorithm = .sha512to256
        default: return nil
        }
        let offered = (challenge["qop"] ?? "").lowercased().split { ", \t".contains($0) }
        if offered.isEmpty {
            quality = nil
        } else if offered.contains("auth") {
            quality = .auth
        } else if offered.contains("auth-int") {
            quality = .authInt
        } else {
            return nil
        }
        self.nonce = nonce
        realm = challenge.octets(of: "realm") ?? []
        opaque = challenge.octets(of: "opaque")
        algorithmName = name
        hashesUser = challenge["userhash"]?.lowercased() == "true"
        isStale = challenge["stale"]?.lowercased() == "true"
        isUTF8 = challenge["charset"]?.lowercased() == "utf-8"
        domain = (challenge["domain"] ?? "").split { " \t".contains($0) }
    }
}
