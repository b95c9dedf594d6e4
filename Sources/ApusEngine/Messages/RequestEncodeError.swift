/// An error in a request that was about to be written. No byte of the rejected head or trailers was written.
package enum RequestEncodeError: Error, Sendable, Equatable {
    /// The method is not a token.
    case methodInvalid
    /// The request target is empty or contains a space, a control character or a byte outside ASCII, or it has a form
    /// that HTTP/2 does not have.
    case targetInvalid
    /// The host contains a space, a control character or a byte outside ASCII, or in HTTP/2 a delimiter of another part
    /// of a URI: `/`, `?`, `#`, `@` or a backslash.
    case hostInvalid
    /// Neither the host nor a Host field was given, or more than one Host field.
    case hostMissing
    case hostRepeated
    /// The field's value contains a control character other than HTAB.
    case fieldValueInvalid(name: String)
    /// A Content-Length or Transfer-Encoding field contradicts the body's framing.
    case framingContradicted(name: String)
    /// A field is not allowed in a trailer section.
    case trailerForbidden(name: String)
}

extension RequestEncodeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .methodInvalid: "The request's method is not a token."
        case .targetInvalid:
            "The request's target is empty, or not a path, or has a space, a control character or a non-ASCII byte."
        case .hostInvalid:
            "The request's host contains a space, a control character, a non-ASCII byte or a delimiter such as /."
        case .hostMissing: "The request has no host."
        case .hostRepeated: "The request has more than one Host field."
        case .fieldValueInvalid(let name): "The value of the request field \(name) contains a control character."
        case .framingContradicted(let name):
            "The request field \(name) contradicts the body; leave the field out, it is set automatically."
        case .trailerForbidden(let name): "The field \(name) is not allowed in a trailer section."
        }
    }
}
