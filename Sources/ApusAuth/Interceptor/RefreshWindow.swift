/// Limits how often a credential is refreshed, so that a service refusing every credential causes no endless loop.
public struct RefreshWindow: Sendable, Hashable {
    /// How long a refresh counts, from its start.
    public var interval: Duration
    /// The maximum number of refreshes within the interval, including failed ones. If it is exceeded, requests fail
    /// with `AuthenticationError.excessiveRefresh`.
    public var maximumAttempts: Int

    /// Creates a window.
    ///
    /// - Parameters:
    ///   - interval: How long a refresh counts. Default: 30 s.
    ///   - maximumAttempts: The maximum number of refreshes within the interval. 0 allows none. Default: 5.
    public init(interval: Duration = .seconds(30), maximumAttempts: Int = 5) {
        self.interval = interval
        self.maximumAttempts = maximumAttempts
    }
}
