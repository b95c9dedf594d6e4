public import ApusCore

/// Controls whether a session or a request stores and sends cookies, and in which jar.
///
/// ```swift
/// let page = try await session.get("https://example.org/", options: [CookieHandling.off])
/// ```
public enum CookieHandling: RequestOption {
    /// Uses the session's own jar. In a configuration, it creates a jar in memory with the session.
    case automatic
    /// Sends and stores no cookies. A `Cookie` field set by the request is sent unchanged.
    case off
    /// Uses this jar, which can be shared.
    case jar(CookieJar)

    var jar: CookieJar? {
        guard case .jar(let jar) = self else { return nil }
        return jar
    }
}

extension SessionConfiguration {
    /// Whether cookies are stored and sent, and in which jar. Default: `.automatic`, a jar for this session.
    public var cookies: CookieHandling {
        get { options[CookieHandling.self] ?? .automatic }
        set { options[CookieHandling.self] = newValue }
    }

    /// Creates the session's jar if the configuration has none.
    package mutating func provideCookieJar() {
        if case .automatic = cookies { cookies = .jar(CookieJar(time: time)) }
    }
}

extension Session {
    /// The jar of the session, for reading and changing its cookies, or `nil` if it does not store cookies.
    public var cookies: CookieJar? { configuration.cookies.jar }
}
