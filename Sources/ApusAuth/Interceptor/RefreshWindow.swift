/// How often a credential may be refreshed, so that a service which refuses every credential is not asked for ever more.
public struct RefreshWindow: Sendable, Hashable {
    /// How long a refresh counts, from its beginning.
    public var interval: Duration
    /// How many may begin within that time, failed ones included; with one more, requests fail with
    /// `AuthenticationError.excessiveRefresh`.
    public var maximumAttempts: Int

    /// Makes a window.
    ///
    /// - Parameters:
    ///   - interval: How long a refresh counts; 30 s by default.
    ///   - maximumAttempts: How many may begin within that time; 5 by default. With 0 there is none.
    public init(interval: Duration = .seconds(30), maximumAttempts: Int = 5) {
        self.interval = interval
        self.maximumAttempts = maximumAttempts
    }
}
