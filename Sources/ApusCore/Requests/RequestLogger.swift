public import Logging

/// The logger of one request, in place of its session's. A server passes on the logger of the request that it serves, with
/// its metadata.
///
/// ```swift
/// let response = try await session.get(url, options: [RequestLogger(logger)])
/// ```
///
/// `RequestContext.logger` is this logger with the number of the request. Its level decides, as that of the session's
/// logger does: start, end and failures are logged at `debug`, every other step at `trace`, and at higher levels logging
/// costs nothing. The session's logger logs the request too, if its own level is as low.
public struct RequestLogger: RequestOption, IncidentalOption {
    /// The logger.
    public let logger: Logger

    /// Creates the option.
    public init(_ logger: Logger) {
        self.logger = logger
    }
}
