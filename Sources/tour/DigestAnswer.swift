internal import Apus
internal import ApusTestServer

/// What a request answers to a challenge of the scheme Digest, as its server looks at it.
///
/// See RFC 7616 §3.4, https://www.rfc-editor.org/rfc/rfc7616.html#section-3.4
struct DigestAnswer {
    private static let realm = "vault"

    let nonce: String
    private let method: String
    private let target: String
    private let said: AuthenticationChallenge

    /// What the server asks for.
    static func challenge(nonce: String) -> String {
        #"Digest realm="\#(realm)", qop="auth", algorithm=SHA-256, nonce="\#(nonce)""#
    }

    /// `nil` where the request has no such answer.
    init?(_ request: TestRequest) {
        // Credentials are written as challenges are: RFC 9110 §11.4.
        let fields: HTTPFields = [.authorization: request["Authorization"] ?? ""]
        let said = AuthenticationChallenge.challenges(in: fields, of: .authorization).first
        guard let said, said.isOf(scheme: "Digest"), let nonce = said["nonce"] else { return nil }
        self.nonce = nonce
        self.method = request.method
        self.target = request.target
        self.said = said
    }

    /// Whether whoever made it knows the password, and vouches for this request and no other.
    func proves(_ user: String, _ password: String) -> Bool {
        guard said["username"] == user, said.realm == Self.realm, said["uri"] == target, said["qop"] == "auth",
            said["algorithm"] == "SHA-256", let count = said["nc"], let clientNonce = said["cnonce"]
        else { return false }
        let hash = HashFunction.sha256.hexadecimal
        let secret = hash("\(user):\(Self.realm):\(password)")
        let vouched = hash("\(method):\(target)")
        return said["response"] == hash("\(secret):\(nonce):\(count):\(clientNonce):auth:\(vouched)")
    }
}
