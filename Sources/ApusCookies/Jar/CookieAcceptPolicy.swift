public import ApusCore

/// Which of the cookies that servers set a jar takes.
public enum CookieAcceptPolicy: Sendable {
    /// All that the rules allow.
    case all
    /// None; what is in the jar is still sent.
    case none
    /// Those that a function wants, given the cookie and what was requested when it came. It may block.
    case filtered(@Sendable (Cookie, TargetURI) -> Bool)

    func wants(_ cookie: Cookie, from target: TargetURI) -> Bool {
        switch self {
        case .all: true
        case .none: false
        case .filtered(let isWanted): isWanted(cookie, target)
        }
    }
}
