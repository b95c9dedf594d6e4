internal import Apus

/// Shows the progress of a download: a line that is rewritten on a terminal, or one line at the end elsewhere.
struct ProgressDisplay {
    /// The minimum time between two updates of the line.
    private static let interval: Duration = .milliseconds(100)

    private let channel: OutputChannel
    private let isQuiet: Bool
    private let start: ContinuousClock.Instant
    private var estimate: TransferEstimate
    private var lastShown: Duration?
    private var count: Int64 = 0

    /// - Parameters:
    ///   - channel: Standard error.
    ///   - total: The total number of bytes, or `nil` if the server did not send it.
    ///   - isQuiet: Whether nothing is shown.
    ///   - start: The time when the download began.
    init(_ channel: OutputChannel, total: Int64?, isQuiet: Bool, start: ContinuousClock.Instant = .now) {
        self.channel = channel
        self.isQuiet = isQuiet
        self.start = start
        self.estimate = TransferEstimate(total: total)
    }

    /// Adds `bytes` to the number of bytes received.
    mutating func add(_ bytes: Int, now: ContinuousClock.Instant = .now) {
        count += Int64(bytes)
        let elapsed = now - start
        if let lastShown, elapsed - lastShown < Self.interval { return }
        lastShown = elapsed
        estimate.update(count: count, elapsed: elapsed)
        guard channel.isTerminal, !isQuiet else { return }
        // An error of standard error must not stop the download.
        try? channel.write("\r\u{1B}[K\(ProgressLine.text(estimate, columns: channel.columns))")
    }

    /// Clears the line and reports that the body was saved to `destination`, unless that is `nil`.
    mutating func finish(_ destination: String?, now: ContinuousClock.Instant = .now) {
        clear()
        estimate.update(count: count, elapsed: now - start)
        guard !isQuiet, let destination else { return }
        let rate = estimate.averageRate.map { " (\(ByteCount.text(Int64($0)))/s)" } ?? ""
        let text = "Saved \(ByteCount.text(count)) to \(destination) in \(Self.seconds(estimate.elapsed))\(rate)."
        try? channel.write(TerminalText.line(text) + "\n")
    }

    /// Clears the line.
    func clear() {
        if channel.isTerminal, !isQuiet, lastShown != nil { try? channel.write("\r\u{1B}[K") }
    }

    /// The number of bytes received, for the message about an interrupted download.
    var received: String {
        let total = estimate.total.map { " of \(ByteCount.text($0))" } ?? ""
        return ByteCount.text(count) + total
    }

    private static func seconds(_ duration: Duration) -> String {
        let tenths = Int64((duration.inSeconds * 10).rounded())
        return tenths < 600 ? "\(tenths / 10).\(tenths % 10) s" : ProgressLine.clock(duration)
    }
}
