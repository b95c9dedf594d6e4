public import Dispatch
public import Logging

/// Logs each exchange as two readable messages, one for the request and one for the response.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.eventMonitors = [LogMonitor(.bodies(upTo: 1000))]
/// ```
///
/// ```
/// → POST https://api.example.org/users (3), 31 B of application/json
///     Authorization: <redacted>
///     Content-Type: application/json
///
///     {"name":"Ada","password":"<redacted>"}
/// ← 201 Created, POST https://api.example.org/users (3), 17 B of application/json in 14.1 ms
///     Content-Type: application/json
///
///     {"id":7}
/// ```
///
/// `→` begins a request, `←` a response, `✗` a failure, and `↻` a retry. Redirects, challenges and hedges have messages
/// of their own. A request is logged as it is sent, with the fields that the session and the middleware have added, and
/// a response after its body was decoded.
///
/// Secrets are redacted as in all other output of the library, see ``Redaction``. A body is shown if it is in memory
/// and its media type is text, JSON, XML or a form. Others are summarized, for example `1.2 kB of image/png`. Lines of
/// a body are indented, so that no body can forge a message.
///
/// Each message has the number of its request as `apus-request-id`, and its ``RequestLabel`` as `apus-request-label`.
/// Messages are written on a queue of their own, in the order of each request's events. If the logger discards their
/// level, they are not composed.
///
/// The logger of a session, `SessionConfiguration.logger`, writes one line for each event instead, at `debug` and
/// `trace`.
public struct LogMonitor: EventMonitor {
    /// The parts of an exchange that are logged.
    public enum Detail: Sendable, Hashable {
        /// Nothing.
        case off
        /// Method, URI, status, sizes and durations, one line each.
        case lines
        /// Also all header fields, and informational responses.
        case heads
        /// Also the beginnings of text bodies, up to this number of bytes of each. Default: 4096.
        case bodies(upTo: Int = 4096)
    }

    private let detail: Detail
    private let logger: Logger
    private let level: Logger.Level
    private let text: LoggedText

    /// Creates a monitor.
    ///
    /// - Parameters:
    ///   - detail: The parts of an exchange that are logged. Default: `.heads`.
    ///   - logger: The logger. Default: one with the label `apus`.
    ///   - level: The level of the messages. Default: `.info`.
    public init(
        _ detail: Detail = .heads,
        to logger: Logger = Logger(label: "apus"),
        level: Logger.Level = .info
    ) {
        self.detail = detail
        self.logger = logger
        self.level = level
        self.text = LoggedText(detail)
    }

    /// A serial queue for log messages.
    public var queue: DispatchQueue { SessionLogMonitor.queue }

    /// The number of bytes of a body that are logged. 0 if bodies are not logged.
    public var bodyPrefixBytes: Int { text.bodyBytes }

    /// Logs an event, if it belongs to the parts to log.
    public func request(_ request: RequestSummary, did event: RequestEvent) {
        guard detail != .off, logger.logLevel <= level, let lines = text.lines(of: event, request) else { return }
        logger.log(level: level, "\(lines.joined(separator: "\n"))", metadata: request.logMetadata)
    }
}
