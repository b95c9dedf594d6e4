/// Names a request in the summaries that monitors get, and in logs.
///
/// ```swift
/// let response = try await session.get(url, options: [RequestLabel("profile")])
/// ```
///
/// The label is part of each ``RequestSummary`` and of the lines of a log. It is never sent.
public struct RequestLabel: RequestOption, IncidentalOption, Hashable {
    /// The name. It is shown as it is, so it must hold no secrets.
    public let name: String

    /// Creates a label.
    ///
    /// - Parameter name: The name, for example that of the screen or the job that makes the request.
    public init(_ name: String) {
        self.name = name
    }
}
