internal import ApusCore
internal import HTTPTypes

/// The credential for one proxy. Basic sends it with each request. Digest needs a nonce of a challenge first, and uses
/// it for later requests too.
///
/// Once Digest was used, Basic is never used, since the answer of an attacker in the network would reveal the password.
struct ProxyCredential: ProxyAuthorization {
    private enum State {
        /// Nothing is sent until the proxy sends a challenge.
        case waiting
        case basic
        case digest(DigestSession)
    }

    private let user: String
    private let password: String
    private let authentication: ProxyServer.Authentication
    private let clientNonce: @Sendable () -> String
    private var state: State

    /// - Parameters:
    ///   - proxy: The proxy, which has a user.
    ///   - clientNonce: Makes client nonces. Default: 32 random hexadecimal digits.
    init(
        _ proxy: ProxyServer,
        clientNonce: @escaping @Sendable () -> String = {
            (0..<4).map { _ in UInt32.random(in: .min ... .max).bigEndianBytes.hexadecimal }.joined()
        }
    ) {
        self.user = proxy.user ?? ""
        self.password = proxy.password ?? ""
        self.authentication = proxy.authentication
        self.clientNonce = clientNonce
        self.state = proxy.authentication == .basic ? .basic : .waiting
    }

    mutating func field(method: HTTPRequest.Method, target: String) throws(ApusError) -> HTTPField? {
        switch state {
        case .waiting: return nil
        case .basic: return try basicField()
        case .digest(var session):
            guard let ticket = session.ticket() else {
                state = .waiting
                return nil
            }
            state = .digest(session)
            let value = ticket.authorization(method: method.rawValue, target: target, contentHash: nil)
            return try Self.wrapped { () throws(ApusError) in
                try HTTPField(name: .proxyAuthorization, checking: value)
            }
        }
    }

    mutating func takeUp(_ fields: HTTPFields, isAnswered: Bool) -> Bool {
        guard authentication != .basic else { return false }
        let challenges = AuthenticationChallenge.challenges(in: fields, of: .proxyAuthenticate)
        let digest = challenges.compactMap { DigestChallenge($0) }.filter { $0.quality != .authInt }
            .max { $0.algorithm < $1.algorithm }
        if let digest {
            guard !isAnswered || digest.isStale else { return false }
            state = .digest(DigestSession(digest, user: user, password: password, clientNonce: clientNonce()))
            return true
        }
        guard case .waiting = state, authentication == .automatic,
            challenges.contains(where: { $0.isOf(scheme: "basic") })
        else { return false }
        state = .basic
        return true
    }

    private func basicField() throws(ApusError) -> HTTPField {
        try Self.wrapped { () throws(ApusError) in
            let field = try HTTPField.authorization(username: user.composed, password: password.composed)
            return HTTPField(name: .proxyAuthorization, value: field.value)
        }
    }

    private static func wrapped(_ make: () throws(ApusError) -> HTTPField) throws(ApusError) -> HTTPField {
        do throws(ApusError) {
            return try make()
        } catch {
            throw ApusError(.invalidConfiguration, "the proxy can't be sent its user and password: \(error.detail)")
        }
    }
}
