package import ApusCore

/// The reason why a cookie is rejected.
package enum CookieRefusal: Error, Sendable, Hashable {
    /// It has a control character, which could end a field.
    case controlCharacter
    /// It is not valid UTF-8.
    case notText
    /// It has neither a name nor a value.
    case empty
    /// Its name and value together exceed `nameAndValueBytes`.
    case tooLong
    /// The host is longer than the maximum length of a host name.
    case hostTooLong
    /// Its `Domain` has non-ASCII characters.
    case domainNotASCII
    /// Its `Domain` is neither the host nor a parent domain of it.
    case foreignDomain
    /// Its `Domain` is a public suffix.
    case publicSuffix
    /// It is `Secure`, but the connection is not.
    case insecureOrigin
    /// It does not meet the requirements of its name prefix.
    case prefix
    /// It would overlay a secure cookie, but its connection is not secure.
    case overlaysSecureCookie
    /// The jar's policy rejects it.
    case policy

    private var reason: String {
        switch self {
        case .controlCharacter: "it has a control character"
        case .notText: "it is not UTF-8"
        case .empty: "it has neither a name nor a value"
        case .tooLong: "its name and value are longer than allowed; raise nameAndValueBytes to accept it"
        case .hostTooLong: "the host name is too long"
        case .domainNotASCII: "its Domain has non-ASCII characters; it must be in punycode"
        case .foreignDomain: "its Domain is neither the host that set it nor a parent domain of that host"
        case .publicSuffix: "its Domain is a public suffix, which unrelated hosts share"
        case .insecureOrigin: "it is Secure, but was set over an insecure connection; use https"
        case .prefix: "its name begins with __Secure- or __Host-, but it lacks the required attributes"
        case .overlaysSecureCookie: "it would replace a secure cookie, but was set over an insecure connection"
        case .policy: "the jar's policy rejects it"
        }
    }

    /// Returns the error for the caller. It contains neither the name nor the value.
    package func error(of host: String) -> ApusError {
        ApusError(.invalidField, "a cookie for \(host) was rejected: \(reason)")
    }
}
