internal import Apus
internal import ApusTestServer

/// The Digest credentials of a request, as the server checks them.
///
/// See RFC 7616 §3.4, https://www.rfc-editor.org/rfc/rfc7616.html#section-3.4
struct DigestAuthorization {
    private static let realm = "vault"

    let nonce: String
    private let method: String
    private let target: String
    private let credentials: AuthenticationChallenge

    /// Returns the server's challenge.
    static func challenge(nonce: String) -> String {
        #"Digest realm="\#(realm)", qop="auth", algorithm=SHA-256, nonce="\#(nonce)""#
    }

    /// Returns `nil` if the request has no Digest credentials.
    init?(_ request: TestRequest) {
        // RFC 9110 §11.4: credentials have the same syntax as challenges.
        let fields: HTTPFields = [.authorization: request["Authorization"] ?? ""]
        let credentials = AuthenticationChallenge.challenges(in: fields, of: .authorization).first
        guard let credentials, credentials.isOf(scheme: "Digest"), let nonce = credentials["nonce"] else { return nil }
        self.nonce = nonce
        self.method = request.method
        self.target = request.target
        self.credentials = credentials
    }

    /// Whether the credentials prove knowledge of the password, for this request only.
    func proves(_ user: String, _ password: String) -> Bool {
        guard credentials["username"] == user, credentials.realm == Self.realm, credentials["uri"] == target,
            credentials["qop"] == "auth",
            credentials["algorithm"] == "SHA-256", let count = credentials["nc"],
            let clientNonce = credentials["cnonce"]
        else { return false }
        let hash = HashFunction.sha256.hexadecimal
        let secret = hash("\(user):\(Self.realm):\(password)")
        let requestHash = hash("\(method):\(target)")
        return credentials["response"] == hash("\(secret):\(nonce):\(count):\(clientNonce):auth:\(requestHash)")
    }
}
