internal import ApusTestSupport
internal import Logging

/// Records the messages of a logger.
struct WarningLog: LogHandler {
    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()
    let messages = LockedList<String>()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { messages.append("\(event.level): \(event.message)") }

    var logger: Logger { Logger(label: "test", factory: { _ in self }) }
}
