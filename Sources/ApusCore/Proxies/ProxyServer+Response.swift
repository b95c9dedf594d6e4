internal import ApusJSON
package import HTTPTypes

extension ProxyServer {
    /// The maximum number of characters shown of a body.
    private static let shownLength = 200

    /// Returns the status and the beginning of the body of a proxy's response, for an error. The text has no secrets and
    /// no control characters.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - content: The beginning of the body, which may end inside a character.
    /// - Returns: The texts.
    package static func shown(_ status: HTTPResponse.Status, content: [UInt8]) -> (status: String, body: String) {
        let reason = status.reasonPhrase.isEmpty ? "" : " \(Redaction.text(Excerpt.of(status.reasonPhrase)))"
        let text = Redaction.text(Redaction.content(String(decoding: content, as: UTF8.self)))
        let words = text.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
        return ("\(status.code)\(reason)", Excerpt.sentence(words, limit: shownLength))
    }

    /// The user in words, for an error: `the user 'ada'`. A user that may be a token is not named: one without a password,
    /// or that looks like one.
    package var shownUser: String {
        guard let user, password?.isEmpty == false, !RandomText.isLikely(Array(user.utf8)[...]) else {
            return "its user"
        }
        return "the user \(Excerpt.quoted(user))"
    }
}
