internal import Apus
internal import HTTPTypes

/// What proves who asks, and the scheme by which the server is told.
enum Credentials: Equatable {
    /// The schemes, by the words of `--auth-type` and of session files.
    enum Scheme: String, CaseIterable {
        case basic, digest, bearer
    }

    /// See RFC 7617, https://www.rfc-editor.org/rfc/rfc7617.html
    case basic(user: String, password: String)
    /// See RFC 7616, https://www.rfc-editor.org/rfc/rfc7616.html
    case digest(user: String, password: String)
    /// See RFC 6750, https://www.rfc-editor.org/rfc/rfc6750.html
    case bearer(String)

    /// Takes `user:password` apart at the first colon, and asks for the password where there is none; a token is taken
    /// as it is.
    ///
    /// - Parameters:
    ///   - argument: What was typed, or what a session has kept.
    ///   - scheme: How it is told; Basic by default.
    ///   - ask: Asks for the password of a user; `nil` where there is nobody to ask.
    /// - Throws: `CommandFault` where there is no password to be had, or no token.
    init(
        _ argument: String,
        scheme: Scheme = .basic,
        ask: (_ user: String) -> String?
    ) throws(CommandFault) {
        guard scheme != .bearer else {
            guard !argument.isEmpty else { throw CommandFault("--auth-type bearer needs a token; write --auth TOKEN") }
            self = .bearer(argument)
            return
        }
        // By scalars: a combining character makes one character with the colon ahead of it.
        let scalars = argument.unicodeScalars
        let user = String(scalars.prefix { $0 != ":" })
        let password: String
        if let colon = scalars.firstIndex(of: ":") {
            password = String(scalars[scalars.index(after: colon)...])
        } else {
            guard let answer = ask(argument) else {
                throw CommandFault(
                    "no password for '\(argument)'; type it at a terminal that asks for it, or write --auth \(argument):PASSWORD"
                )
            }
            password = answer
        }
        self = scheme == .digest ? .digest(user: user, password: password) : .basic(user: user, password: password)
    }

    /// A user name and a password; `nil` for the scheme that has none.
    init?(_ scheme: Scheme, user: String, password: String) {
        switch scheme {
        case .basic: self = .basic(user: user, password: password)
        case .digest: self = .digest(user: user, password: password)
        case .bearer: return nil
        }
    }

    /// The `Authorization` field that is sent without being asked for; `nil` where the server has to ask.
    func field() throws(CommandFault) -> HTTPField? {
        switch self {
        case .basic(let user, let password):
            return HTTPField(name: .authorization, value: BasicCredentials.value(user: user, password: password))
        case .digest:
            return nil
        case .bearer(let token):
            do throws(ApusError) {
                return try .authorization(bearerToken: token)
            } catch {
                throw CommandFault("the token of --auth can't be sent: \(error.detail)")
            }
        }
    }

    /// What answers the challenges of an origin; `nil` where none has to be waited for.
    func answer(for origin: Origin) -> RequestCredential? {
        guard case .digest(let user, let password) = self else { return nil }
        return RequestCredential(DigestAlone(credential: .user(user, password: password), origin: origin))
    }

    /// As a session keeps it, and `--auth` would take it.
    var kept: (scheme: Scheme, text: String) {
        switch self {
        case .basic(let user, let password): (.basic, "\(user):\(password)")
        case .digest(let user, let password): (.digest, "\(user):\(password)")
        case .bearer(let token): (.bearer, token)
        }
    }
}

/// A credential for the Digest of one origin. A server that offers Basic does not get the password in the clear.
private struct DigestAlone: CredentialProvider {
    let credential: Credential
    let origin: Origin

    func credential(for query: CredentialQuery) -> Credential? {
        query.space.scheme == "digest" && query.space.origin == origin ? credential : nil
    }
}
