/// Limits how many redirects are followed, and where to. A `RedirectHandler` decides about those that are allowed.
public struct RedirectPolicy: RequestOption, Hashable {
    /// The fields of a request that are kept when a redirect leads to another origin.
    ///
    /// `Host`, `Origin` and `Referer` name the first origin and are never sent to another. A `RedirectHandler` can set
    /// any field for the request that a redirect leads to.
    public enum CrossOriginFields: Sendable, Hashable {
        /// All fields except those named with a word like `authorization`, `cookie`, `token`, `key` or `signature`.
        case withoutSecrets
        /// Only the fields that describe the requested content: `Accept` and related fields, `User-Agent`, `Content-…`
        /// fields, conditions, ranges, `Cache-Control`, `Expect`, `Prefer`, `Priority` and `TE`.
        case safelist
        /// All fields, including credentials. Use it only for origins that belong together.
        case everything
    }

    /// The maximum number of redirects of one request. 0 returns the first redirect as the response.
    public var limit: Int
    /// Whether a redirect may lead from https to http. The targets that are sent count, after upgrades by HSTS.
    /// Default: `false`.
    public var allowsDowngrade: Bool
    /// The fields that are sent to another origin. Default: `.withoutSecrets`.
    public var crossOriginFields: CrossOriginFields

    /// Returns a policy that follows redirects.
    ///
    /// - Parameters:
    ///   - limit: The maximum number for one request. One more throws `tooManyRedirects`. Default: 20.
    ///   - allowsDowngrade: Whether a redirect may lead from https to http. Default: `false`.
    ///   - crossOriginFields: The fields that are sent to another origin. Default: `.withoutSecrets`.
    /// - Returns: The policy.
    public static func follow(
        limit: Int = 20,
        allowsDowngrade: Bool = false,
        crossOriginFields: CrossOriginFields = .withoutSecrets
    ) -> RedirectPolicy {
        RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade, crossOriginFields: crossOriginFields)
    }

    /// Follows at most 20 redirects.
    public static let follow = RedirectPolicy.follow()

    /// Returns each redirect as the response, without calling a redirect handler.
    public static let refuse = RedirectPolicy(limit: 0, allowsDowngrade: false, crossOriginFields: .withoutSecrets)
}
