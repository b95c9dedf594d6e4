internal import Dispatch
internal import Logging

/// Writes the events of requests to the session's log: beginnings, ends and failures at `debug`, the rest at `trace`.
///
/// It logs on a queue of its own, because a log handler may block.
struct SessionLogMonitor: EventMonitor {
    /// The queue of all monitors that log.
    static let queue = DispatchQueue(label: "apus.log", qos: .utility)

    private let logger: Logger

    /// Creates a monitor, or returns `nil` if the logger would discard all its messages.
    init?(_ logger: Logger) {
        guard logger.logLevel <= .debug else { return nil }
        self.logger = logger
    }

    var queue: DispatchQueue { Self.queue }

    var bodyPrefixBytes: Int { 0 }

    func request(_ request: RequestSummary, did event: RequestEvent) {
        logger.log(level: Self.level(of: event), "\(event)", metadata: request.logMetadata)
    }

    func session(_ session: SessionID, didEndDueTo error: ApusError?) {
        let message: Logger.Message = error.map { "session ended: \($0)" } ?? "session ended"
        logger.log(level: .debug, message, metadata: ["apus-session-id": "\(session)"])
    }

    private static func level(of event: RequestEvent) -> Logger.Level {
        switch event {
        case .created, .creationFailed, .adaptationFailed, .waitingForConnectivity, .retrying, .cancelled,
            .exchangeEnded:
            .debug
        case .validated(let error): error == nil ? .trace : .debug
        case .completed(let response), .serialized(let response): response.error == nil ? .trace : .debug
        case .resumed, .suspended, .adapted, .exchangeBegan, .contentSent, .informational, .redirected, .challenged,
            .responded, .destinationChosen, .contentReceived, .downloaded, .finished:
            .trace
        }
    }
}

extension RequestSummary {
    /// The metadata of log messages about the request.
    var logMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["apus-request-id": "\(id)"]
        if let label { metadata["apus-request-label"] = "\(label)" }
        return metadata
    }
}
