/// Limits the retries of a session to a share of its attempts, so that a failing server is not flooded with retries.
/// Only requests that have a retrier count.
///
/// Only `RetryPolicy` observes the budget. The decisions of other retriers are always followed.
public struct RetryBudget: Sendable, Hashable {
    /// How long an attempt or a retry counts: 10 seconds.
    public static let window = Duration.seconds(10)

    /// The allowed retries for each attempt of the last 10 seconds at a request that has a retrier. Default: 0.2.
    public var share: Double
    /// The allowed retries in 10 seconds, regardless of the number of attempts. Default: 10.
    public var minimum: Int

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - share: The allowed retries for each attempt of the last 10 seconds at a request that has a retrier. Default:
    ///     0.2.
    ///   - minimum: The allowed retries in 10 seconds, regardless of the number of attempts. Default: 10.
    public init(share: Double = 0.2, minimum: Int = 10) {
        self.share = share
        self.minimum = minimum
    }
}
