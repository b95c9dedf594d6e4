internal import Apus

/// A user name and a password for Basic authentication.
///
/// See RFC 7617, https://www.rfc-editor.org/rfc/rfc7617.html
struct Credentials: Equatable {
    let user: String
    let password: String

    /// Takes `user:password` apart at the first colon; asks for the password where there is none.
    ///
    /// - Parameters:
    ///   - argument: What was typed.
    ///   - ask: Asks for the password of a user; `nil` where there is nobody to ask.
    /// - Throws: `CommandFault` where there is no password to be had.
    init(_ argument: String, ask: (_ user: String) -> String?) throws(CommandFault) {
        if let colon = argument.firstIndex(of: ":") {
            user = String(argument[..<colon])
            password = String(argument[argument.index(after: colon)...])
        } else {
            guard let answer = ask(argument) else {
                throw CommandFault(
                    "no password for '\(argument)', and no terminal to ask for it; write --auth \(argument):PASSWORD"
                )
            }
            user = argument
            password = answer
        }
    }

    init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// The value of the `Authorization` field; the two are sent in UTF-8.
    var authorization: String { BasicCredentials.value(user: user, password: password) }
}
