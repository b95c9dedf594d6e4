/// A challenge of the Digest scheme that can be answered.
///
/// See RFC 7616 §3.3, https://www.rfc-editor.org/rfc/rfc7616.html#section-3.3
struct DigestChallenge: Sendable, Hashable {
    /// The hash functions that there is an answer with, the weakest first.
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

    /// What of a request is vouched for.
    enum Quality: String {
        /// Method and target.
        case auth
        /// The content too.
        case authInt = "auth-int"
    }

    /// Realm, nonce and opaque are octets: they are hashed and sent back as they were received, RFC 7616 §3.4.
    let realm: [UInt8]
    var nonce: [UInt8]
    let opaque: [UInt8]?
    let algorithm: Algorithm
    /// Whether the key is made of the nonces as well.
    let isSession: Bool
    /// The algorithm as the server spells it; `nil` where it names none, and means MD5.
    let algorithmName: String?
    /// `nil` where the server knows but RFC 2069, which had none.
    let quality: Quality?
    let hashesUser: Bool
    let isStale: Bool
    let isUTF8: Bool
    /// Where else the answer is good, as URIs.
    let domain: [Substring]

    /// Reads a challenge of any scheme; `nil` where it is of another, or there is no answer to it.
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
