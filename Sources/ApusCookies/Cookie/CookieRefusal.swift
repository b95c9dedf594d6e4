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
        case .notText: "it is not in UTF-8"
        case .empty: "it has neither a name nor a value"
        case .tooLong: "its name and value are longer than allowed; raise nameAndValueBytes to take it"
        case .hostTooLong: "no host has so long a name"
        case .domainNotASCII: "its Domain has other than ASCII letters; it has to be in punycode"
        case .foreignDomain: "its Domain is neither the host that it is from nor above it"
        case .publicSuffix: "its Domain is a public suffix, below which strangers have their hosts"
        case .insecureOrigin: "it is Secure, and the connection that it is from is not; use https"
        case .prefix: "its name begins with __Secure- or __Host-, and it lacks what that promises"
        case .overlaysSecureCookie: "it would take the place of a secure cookie, and is from a connection that is not"
        case .policy: "the jar's policy does not want it"
        }
    }

    /// Returns the error for the caller. It contains neither the name nor the value.
    package func error(of host: String) -> ApusError {
        ApusError(.invalidField, "a cookie for \(host) is refused: \(reason)")
    }
}
