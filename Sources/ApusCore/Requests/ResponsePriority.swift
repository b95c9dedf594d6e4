/// The priority of a response among others on the same connection, as a hint for the server.
///
/// ```swift
/// let preview = try await session.get(url, options: [ResponsePriority(urgency: 6, isIncremental: true)])
/// ```
///
/// It is sent in the field `Priority`, over every version of HTTP, unless the request has one of its own. A server that
/// serves several requests of one connection may follow it. The order in which requests get a connection is a
/// ``RequestPriority``.
///
/// See RFC 9218 §4, https://www.rfc-editor.org/rfc/rfc9218.html#section-4
public struct ResponsePriority: RequestOption, Hashable {
    /// The urgency from 0, the highest, to 7. Default: 3.
    public let urgency: Int
    /// Whether the response is useful in parts, so that it may be interleaved with others. Default: `false`.
    public let isIncremental: Bool

    /// Creates a priority.
    ///
    /// - Parameters:
    ///   - urgency: The urgency from 0, the highest, to 7. Values outside are replaced by the nearest one. Default: 3.
    ///   - isIncremental: Whether the response is useful in parts. Default: `false`.
    public init(urgency: Int = 3, isIncremental: Bool = false) {
        self.urgency = min(max(urgency, 0), 7)
        self.isIncremental = isIncremental
    }

    /// The value of the field. Empty for the default priority.
    var fieldValue: String {
        let urgency = urgency == 3 ? nil : "u=\(urgency)"
        return [urgency, isIncremental ? "i" : nil].compactMap(\.self).joined(separator: ", ")
    }
}
