internal import Apus

/// Shows the progress of a download: a line that is rewritten on a terminal, or one line at the end elsewhere.
struct ProgressDisplay {
    /// The minimum time between two updates of the line.
    private static let interval: Duration = .milliseconds(100)

    private let channel: OutputChannel
    private let isQuiet: Bool
    private let start: MonotonicInstant
    private var meter: TransferMeter
    private var progress: TransferProgress
    private var lastShown: MonotonicInstant?

    /// - Parameters:
    ///   - channel: Standard error.
    ///   - total: The total number of bytes, or `nil` if the server did not send it.
    ///   - isQuiet: Whether nothing is shown.
    ///   - start: The time when the download began.
    init(_ channel: OutputChannel, total: Int64?, isQuiet: Bool, start: MonotonicInstant = .now) {
        self.channel = channel
        self.isQuiet = isQuiet
        self.start = start
        self.meter = TransferMeter(from: start)
        self.progress = TransferProgress(total: total)
    }

    /// Adds `bytes` to the number of bytes received.
    mutating func add(_ bytes: Int, now: MonotonicInstant = .now) {
        progress.completed += Int64(bytes)
        if let lastShown, lastShown.duration(to: now) < Self.interval { return }
        lastShown = now
        progress = meter.progress(after: progress.completed, of: progress.total, at: now)
        guard channel.isTerminal, !isQuiet else { return }
        let line = ProgressLine.text(progress, elapsed: start.duration(to: now), columns: channel.columns)
        // An error of standard error must not stop the download.
        try? channel.write("\r\u{1B}[K\(line)")
    }

    /// Clears the line and reports that the body was saved to `destination`, unless that is `nil`.
    func finish(_ destination: String?, now: MonotonicInstant = .now) {
        clear()
        guard !isQuiet, let destination else { return }
        let (count, elapsed) = (progress.completed, start.duration(to: now))
        let rate = elapsed > .zero ? " (\(ByteCount.rate(Double(count) / elapsed.inSeconds)))" : ""
        let text = "Saved \(ByteCount.text(count)) to \(destination) in \(Self.seconds(elapsed))\(rate)."
        try? channel.write(TerminalText.line(text) + "\n")
    }

    /// Clears the line.
    func clear() {
        if channel.isTerminal, !isQuiet, lastShown != nil { try? channel.write("\r\u{1B}[K") }
    }

    /// The number of bytes received, for the message about an interrupted download.
    var received: String {
        let total = progress.total.map { " of \(ByteCount.text($0))" } ?? ""
        return ByteCount.text(progress.completed) + total
    }

    private static func seconds(_ duration: Duration) -> String {
        let tenths = Int64((duration.inSeconds * 10).rounded())
        return tenths < 600 ? "\(tenths / 10).\(tenths % 10) s" : ProgressLine.clock(duration)
    }
}
