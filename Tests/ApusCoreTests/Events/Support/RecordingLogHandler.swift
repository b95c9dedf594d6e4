internal import Logging

/// Passes log messages on to a closure.
struct RecordingLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata = Logger.Metadata()
    private let record: @Sendable (LogEvent) -> Void

    init(logLevel: Logger.Level, _ record: @escaping @Sendable (LogEvent) -> Void) {
        self.logLevel = logLevel
        self.record = record
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { record(event) }
}
