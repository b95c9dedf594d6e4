/// The maximum rates of bodies, in bytes per second.
///
/// As an option it holds for one request, as `configuration.transferRate` for all requests of a session together.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.transferRate = TransferRateLimit(download: 4 << 20, upload: 1 << 20)
/// …
/// let slowly = TransferRateLimit(upload: 64 << 10)
/// let response = try await session.put(url, body: body, options: [slowly])
/// ```
///
/// Bodies count as they are on the wire, with their content coding. Heads, and bytes that are discarded, do not count.
/// The rate is kept on average over a few seconds. After a pause the bytes of 0.1 s may pass at once, and below
/// 160 KiB/s up to 16 KiB, but at most the bytes of 0.5 s.
///
/// A request with the option is held to its own rate and to that of its session, so the lower one counts. The requests
/// of a session take turns. Retries and redirects of a request share its rate. The waits count for the deadline of a
/// request.
///
/// A response is held back by not reading it, so its server is held back by the flow control of the connection. The
/// bytes that fit into the buffers between them arrive at full speed, and a server may close a connection that it
/// considers too slow.
public struct TransferRateLimit: RequestOption, Hashable {
    /// The maximum rate of response bodies, in bytes per second. `nil` is no limit. Default: `nil`.
    public let download: Int?
    /// The maximum rate of request bodies, in bytes per second. `nil` is no limit. Default: `nil`.
    public let upload: Int?

    /// No limit of its own. A request with this option is still held to the rate of its session.
    public static let unlimited = TransferRateLimit()

    /// Creates a limit. A rate of 0 or less is no limit, as in curl, wget and nginx.
    ///
    /// - Parameters:
    ///   - download: The maximum rate of response bodies, in bytes per second. `nil` is no limit. Default: `nil`.
    ///   - upload: The maximum rate of request bodies, in bytes per second. `nil` is no limit. Default: `nil`.
    public init(download: Int? = nil, upload: Int? = nil) {
        self.download = download.flatMap { $0 < 1 ? nil : $0 }
        self.upload = upload.flatMap { $0 < 1 ? nil : $0 }
    }
}
