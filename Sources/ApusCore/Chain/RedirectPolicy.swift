/// How far redirects are followed, and where to; a `RedirectHandler` decides about each of those that may be.
public struct RedirectPolicy: RequestOption, Hashable {
    /// Which fields of a request a redirect takes along to another origin.
    ///
    /// `Host`, `Origin` and `Referer` name the first origin and never go to another. A `RedirectHandler` can set any field
    /// for the request that a redirect leads to.
    public enum CrossOriginFields: Sendable, Hashable {
        /// All fields but those whose name has a word like `authorization`, `cookie`, `token`, `key` or `signature` in it.
        case withoutSecrets
        /// Only the fields that say what is asked for: `Accept` and its kin, `User-Agent`, those of the content, conditions,
        /// ranges, `Cache-Control`, `Expect`, `Prefer`, `Priority` and `TE`.
        case safelist
        /// All fields, with every credential among them. It is for origins that belong together.
        case everything
    }

    /// How many redirects of one request are followed; 0 hands the first on as it is.
    public var limit: Int
    /// Whether a redirect may lead from https to http. Not by default.
    public var allowsDowngrade: Bool
    /// Which fields go along to another origin. Default: `.withoutSecrets`.
    public var crossOriginFields: CrossOriginFields

    /// Redirects are followed.
    ///
    /// - Parameters:
    ///   - limit: How many of one request; 20 by default. One more fails with `tooManyRedirects`.
    ///   - allowsDowngrade: Whether one may lead from https to http; not by default.
    ///   - crossOriginFields: Which fields go along to another origin; `.withoutSecrets` by default.
    /// - Returns: The policy.
    public static func follow(
        limit: Int = 20,
        allowsDowngrade: Bool = false,
        crossOriginFields: CrossOriginFields = .withoutSecrets
    ) -> RedirectPolicy {
        RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade, crossOriginFields: crossOriginFields)
    }

    /// Redirects are followed, at most 20.
    public static let follow = RedirectPolicy.follow()

    /// A redirect is handed on like any other answer, and nobody is asked.
    public static let refuse = RedirectPolicy(limit: 0, allowsDowngrade: false, crossOriginFields: .withoutSecrets)
}
