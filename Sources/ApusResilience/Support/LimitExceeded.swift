public import ApusCore

/// Why a limiter refused a request: the `underlying` of an error with the code `middlewareFailed`.
///
/// ```swift
/// do {
///     try await session.get("https://api.example.org/users").validate()
/// } catch {
///     if let refusal = error.underlying as? LimitExceeded { print("come back in", refusal.wait ?? .zero) }
/// }
/// ```
public struct LimitExceeded: Error, Sendable, Hashable {
    /// The origin whose limit it is; `nil` where all share one.
    public let origin: Origin?
    /// How long the request would have had to wait; `nil` where that can't be told.
    public let wait: Duration?

    /// The error of a request that is not sent; `limit` goes on "are limited to".
    func error(_ limit: String) -> ApusError {
        let subject = origin.map { "requests to \($0)" } ?? "requests"
        return ApusError(.middlewareFailed, "\(subject) are limited to \(limit)", underlying: self)
    }
}
