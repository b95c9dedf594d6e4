public import ApusCore

/// The reason why a limiter rejected a request: the `underlying` of an error with the code `middlewareFailed`.
///
/// ```swift
/// do {
///     try await session.get("https://api.example.org/users").validate()
/// } catch {
///     if let refusal = error.underlying as? LimitExceeded { print("come back in", refusal.wait ?? .zero) }
/// }
/// ```
public struct LimitExceeded: Error, Sendable, Hashable {
    /// The origin whose limit was reached. `nil` if all origins share one limit.
    public let origin: Origin?
    /// The time the request would have had to wait. `nil` if it is not known.
    public let wait: Duration?

    /// Returns the error of the rejected request. `limit` completes "are limited to …".
    func error(_ limit: String) -> ApusError {
        let subject = origin.map { "requests to \($0)" } ?? "requests"
        return ApusError(.middlewareFailed, "\(subject) are limited to \(limit)", underlying: self)
    }
}
