/// Limits the chunks of a stream that were read from the connection, and that its slowest handler has not had yet.
///
/// ```swift
/// let feed = session.streamRequest(url, options: [ChunksInFlight(4)])
/// ```
///
/// At the limit the request reads no further, and so the server is held back. It is an option of the call that makes a
/// ``DataStreamRequest``, and has no effect elsewhere.
public struct ChunksInFlight: RequestOption, IncidentalOption, Hashable {
    /// The limit of a request without this option: 16.
    public static let defaultCount = 16

    /// The maximum number of chunks, at least 1. A chunk has the bytes of one read, mostly at most 64 KiB.
    public let count: Int

    /// Creates a limit.
    ///
    /// - Parameter count: The maximum number of chunks. A smaller number than 1 counts as 1.
    public init(_ count: Int) {
        self.count = max(count, 1)
    }
}
