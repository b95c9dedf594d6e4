internal import Apus

/// Shows the progress of a transfer: a line that is rewritten on a terminal, or one line at the end elsewhere.
struct ProgressDisplay {
    /// The minimum time between two updates of the line.
    private static let interval: Duration = .milliseconds(100)

    private let channel: OutputChannel
    private let name: String?
    private let isQuiet: Bool
    private let start: MonotonicInstant
    /// The bytes that an earlier download has received.
    private let earlier: Int64
    private var meter: TransferMeter
    private var progress: TransferProgress
    private var lastShown: MonotonicInstant?

    /// - Parameters:
    ///   - channel: Standard error.
    ///   - name: The name of the file, whose folders are not shown, or `nil` for none. Default: `nil`.
    ///   - earlier: The number of bytes that an earlier download has received. Default: 0.
    ///   - total: The total number of bytes, or `nil` if it is not known.
    ///   - isQuiet: Whether nothing is shown.
    ///   - start: The time when the transfer began.
    init(
        _ channel: OutputChannel,
        name: String? = nil,
        after earlier: Int64 = 0,
        total: Int64?,
        isQuiet: Bool,
        start: MonotonicInstant = .now
    ) {
        self.channel = channel
        self.name = name.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
        self.isQuiet = isQuiet
        self.start = start
        self.earlier = earlier
        self.meter = TransferMeter(from: start)
        self.progress = TransferProgress(completed: earlier, total: total)
    }

    /// The number of bytes so far, with those of an earlier download.
    var completed: Int64 { progress.completed }

    /// Adds `bytes` to the number of bytes, and shows the line.
    mutating func add(_ bytes: Int, now: MonotonicInstant = .now) {
        if let line = line(after: completed + Int64(bytes), of: progress.total, now: now) { show(line) }
    }

    /// Records the progress.
    ///
    /// - Parameters:
    ///   - completed: The number of bytes so far, with those of an earlier download.
    ///   - total: The total number of bytes, or `nil` if it is not known.
    ///   - now: The time.
    /// - Returns: The line to show, or `nil` if there is no terminal, or if the last one was shown just before.
    mutating func line(after completed: Int64, of total: Int64?, now: MonotonicInstant = .now) -> String? {
        progress.completed = completed
        progress.total = total
        if let lastShown, lastShown.duration(to: now) < Self.interval { return nil }
        lastShown = now
        // Bytes of an earlier download say nothing about the rate of this one.
        progress.throughput = meter.progress(after: completed - earlier, of: nil, at: now).throughput
        guard channel.isTerminal, !isQuiet else { return nil }
        return ProgressLine.text(progress, elapsed: start.duration(to: now), columns: channel.columns, name: name)
    }

    /// Shows a line in place of the last one.
    func show(_ line: String) {
        // An error of standard error must not stop the transfer.
        try? channel.write("\r\u{1B}[K\(line)")
    }

    /// Clears the line and reports that the body was saved to `destination`, unless that is `nil`.
    func finish(_ destination: String?, now: MonotonicInstant = .now) {
        clear()
        guard !isQuiet, let destination else { return }
        let (count, elapsed) = (progress.completed, start.duration(to: now))
        let received = count - earlier
        let rate = elapsed > .zero ? " (\(ByteCount.rate(Double(received) / elapsed.inSeconds)))" : ""
        let share = earlier > 0 ? ", \(ByteCount.text(received)) of them now," : ""
        let text = "Saved \(ByteCount.text(count)) to \(destination)\(share) in \(Self.seconds(elapsed))\(rate)."
        try? channel.write(TerminalText.line(text) + "\n")
    }

    /// Clears the line.
    func clear() {
        if channel.isTerminal, !isQuiet, lastShown != nil { try? channel.write("\r\u{1B}[K") }
    }

    /// Returns a number of bytes of the total, for the message about an interrupted download.
    func share(_ count: Int64) -> String {
        let total = progress.total.map { " of \(ByteCount.text($0))" } ?? ""
        return ByteCount.text(count) + total
    }

    private static func seconds(_ duration: Duration) -> String {
        let tenths = Int64((duration.inSeconds * 10).rounded())
        return tenths < 600 ? "\(tenths / 10).\(tenths % 10) s" : ProgressLine.clock(duration)
    }
}
