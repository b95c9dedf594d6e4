public import ApusCore

/// Controls which of the cookies set by servers a jar accepts.
public enum CookieAcceptPolicy: Sendable {
    /// Accepts all cookies that the RFC allows.
    case all
    /// Accepts no cookies. Cookies already in the jar are still sent.
    case none
    /// Accepts the cookies for which a closure returns `true`, given the cookie and its request's target. It may block.
    case filtered(@Sendable (Cookie, TargetURI) -> Bool)

    func wants(_ cookie: Cookie, from target: TargetURI) -> Bool {
        switch self {
        case .all: true
        case .none: false
        case .filtered(let isWanted): isWanted(cookie, target)
        }
    }
}
