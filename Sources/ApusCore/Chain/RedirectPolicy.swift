/// How far redirects are followed, and where to; a `RedirectHandler` decides about each of those that may be.
public struct RedirectPolicy: RequestOption, Hashable {
    /// How many redirects of one request are followed; 0 hands the first on as it is.
    public var limit: Int
    /// Whether a redirect may lead from https to http. Not by default.
    public var allowsDowngrade: Bool

    /// Redirects are followed.
    ///
    /// - Parameters:
    ///   - limit: How many of one request; 20 by default. One more fails with `tooManyRedirects`.
    ///   - allowsDowngrade: Whether one may lead from https to http; not by default.
    /// - Returns: The policy.
    public static func follow(limit: Int = 20, allowsDowngrade: Bool = false) -> RedirectPolicy {
        RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade)
    }

    /// Redirects are followed, at most 20.
    public static let follow = RedirectPolicy.follow()

    /// A redirect is handed on like any other answer, and nobody is asked.
    public static let refuse = RedirectPolicy(limit: 0, allowsDowngrade: false)
}
