public import ApusCore

/// Whether a session, or one request, keeps cookies and sends them, and in which jar.
///
/// ```swift
/// let page = try await session.get("https://example.org/", options: [CookieHandling.off])
/// ```
public enum CookieHandling: RequestOption {
    /// In the session's own jar. For a session it means one in memory, made with it.
    case automatic
    /// None is sent and none is taken. A `Cookie` field of the request's own is sent as it is.
    case off
    /// In this jar, which others may share.
    case jar(CookieJar)

    var jar: CookieJar? {
        guard case .jar(let jar) = self else { return nil }
        return jar
    }
}

extension SessionConfiguration {
    /// Whether cookies are kept and sent, and in which jar. They are, in one of the session's own.
    public var cookies: CookieHandling {
        get { options[CookieHandling.self] ?? .automatic }
        set { options[CookieHandling.self] = newValue }
    }

    /// Makes the jar of a session that has none of its own yet.
    package mutating func provideCookieJar() {
        if case .automatic = cookies { cookies = .jar(CookieJar(time: time)) }
    }
}

extension Session {
    /// The jar of the session, open to reading, writing and clearing; `nil` where it keeps no cookies.
    public var cookies: CookieJar? { configuration.cookies.jar }
}
