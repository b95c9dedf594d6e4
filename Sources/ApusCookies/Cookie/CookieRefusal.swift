package import ApusCore

/// Why a cookie is not taken.
package enum CookieRefusal: Error, Sendable, Hashable {
    /// A control character, which could end a field.
    case controlCharacter
    /// Bytes that are no UTF-8.
    case notText
    /// Neither a name nor a value.
    case empty
    /// Name and value are longer together than `nameAndValueBytes`.
    case tooLong
    /// The host is longer than any name can be.
    case hostTooLong
    /// A `Domain` that has other than ASCII letters.
    case domainNotASCII
    /// A `Domain` that is neither the host nor above it.
    case foreignDomain
    /// A `Domain` below which strangers have their hosts.
    case publicSuffix
    /// `Secure`, but over a connection that is not.
    case insecureOrigin
    /// What the prefix of the name promises is not so.
    case prefix
    /// It would take the place of a secure cookie, and came over a connection that is not.
    case overlaysSecureCookie
    /// The jar's policy does not want it.
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

    /// The error for who set the cookie; it tells neither name nor value.
    package func error(of host: String) -> ApusError {
        ApusError(.invalidField, "a cookie for \(host) is refused: \(reason)")
    }
}
