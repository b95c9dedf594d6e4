internal import Apus
internal import HTTPTypes

/// Credentials and their authentication scheme.
enum Credentials: Equatable {
    /// The schemes, with their names in `--auth-type` and session files.
    enum Scheme: String, CaseIterable {
        case basic, digest, bearer
    }

    /// See RFC 7617, https://www.rfc-editor.org/rfc/rfc7617.html
    case basic(user: String, password: String)
    /// See RFC 7616, https://www.rfc-editor.org/rfc/rfc7616.html
    case digest(user: String, password: String)
    /// See RFC 6750, https://www.rfc-editor.org/rfc/rfc6750.html
    case bearer(String)

    /// Splits `user:password` at the first colon, and asks for the password if there is no colon. A token is not split.
    ///
    /// - Parameters:
    ///   - argument: The text that was typed or stored in a session.
    ///   - scheme: The authentication scheme. Default: Basic.
    ///   - ask: Asks for the password of a user. Returns `nil` if no terminal is available.
    /// - Throws: `CommandFault` if the password or the token is missing.
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
        // Split by scalars, since a combining character forms one `Character` with the colon before it.
        let scalars = argument.unicodeScalars
        let user = String(scalars.prefix { $0 != ":" })
        let password: String
        if let colon = scalars.firstIndex(of: ":") {
            password = String(scalars[scalars.index(after: colon)...])
        } else {
            guard let typed = ask(argument) else {
                throw CommandFault(
                    "no password for '\(argument)'; enter it in a terminal, or write --auth \(argument):PASSWORD"
                )
            }
            password = typed
        }
        self = scheme == .digest ? .digest(user: user, password: password) : .basic(user: user, password: password)
    }

    /// Creates credentials with a user name and a password. Returns `nil` for Bearer.
    init?(_ scheme: Scheme, user: String, password: String) {
        switch scheme {
        case .basic: self = .basic(user: user, password: password)
        case .digest: self = .digest(user: user, password: password)
        case .bearer: return nil
        }
    }

    /// Returns the `Authorization` field to send without a challenge, or `nil` if the scheme needs a challenge.
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

    /// Returns the credential for the challenges of an origin, or `nil` if the scheme needs no challenge.
    func credential(for origin: Origin) -> RequestCredential? {
        guard case .digest(let user, let password) = self else { return nil }
        return RequestCredential(DigestAlone(credential: .user(user, password: password), origin: origin))
    }

    /// The credentials in the form of a session file and of `--auth`.
    var kept: (scheme: Scheme, text: String) {
        switch self {
        case .basic(let user, let password): (.basic, "\(user):\(password)")
        case .digest(let user, let password): (.digest, "\(user):\(password)")
        case .bearer(let token): (.bearer, token)
        }
    }
}

/// Credentials for Digest with one origin. Ignores a Basic challenge, which would send the password in the clear.
private struct DigestAlone: CredentialProvider {
    let credential: Credential
    let origin: Origin

    func credential(for query: CredentialQuery) -> Credential? {
        query.space.scheme == "digest" && query.space.origin == origin ? credential : nil
    }
}
