internal import Apus

/// Tells a person how a download goes: a line that is written over on a terminal, one line at the end elsewhere.
struct ProgressDisplay {
    /// How often the line is written, at most.
    private static let interval: Duration = .milliseconds(100)

    private let channel: OutputChannel
    private let isQuiet: Bool
    private let start: ContinuousClock.Instant
    private var estimate: TransferEstimate
    private var lastShown: Duration?
    private var count: Int64 = 0

    /// - Parameters:
    ///   - channel: Standard error.
    ///   - total: How many bytes there will be; `nil` where the server did not say.
    ///   - isQuiet: Whether nothing is told at all.
    ///   - start: When the first byte was waited for.
    init(_ channel: OutputChannel, total: Int64?, isQuiet: Bool, start: ContinuousClock.Instant = .now) {
        self.channel = channel
        self.isQuiet = isQuiet
        self.start = start
        self.estimate = TransferEstimate(total: total)
    }

    /// Notes that `bytes` more are here.
    mutating func add(_ bytes: Int, now: ContinuousClock.Instant = .now) {
        count += Int64(bytes)
        let elapsed = now - start
        if let lastShown, elapsed - lastShown < Self.interval { return }
        lastShown = elapsed
        estimate.update(count: count, elapsed: elapsed)
        guard channel.isTerminal, !isQuiet else { return }
        // What can't be told must not stop the download.
        try? channel.write("\r\u{1B}[K\(ProgressLine.text(estimate, columns: channel.columns))")
    }

    /// Takes the line away, and says that the bytes are at `destination`; `nil` says nothing.
    mutating func finish(_ destination: String?, now: ContinuousClock.Instant = .now) {
        clear()
        estimate.update(count: count, elapsed: now - start)
        guard !isQuiet, let destination else { return }
        let rate = estimate.averageRate.map { " (\(ByteCount.text(Int64($0)))/s)" } ?? ""
        let text = "Saved \(ByteCount.text(count)) to \(destination) in \(Self.seconds(estimate.elapsed))\(rate)."
        try? channel.write(TerminalText.line(text) + "\n")
    }

    /// Takes the line away.
    func clear() {
        if channel.isTerminal, !isQuiet, lastShown != nil { try? channel.write("\r\u{1B}[K") }
    }

    /// How much came, for the sentence about a download that broke off.
    var received: String {
        let total = estimate.total.map { " of \(ByteCount.text($0))" } ?? ""
        return ByteCount.text(count) + total
    }

    private static func seconds(_ duration: Duration) -> String {
        let tenths = Int64((duration.inSeconds * 10).rounded())
        return tenths < 600 ? "\(tenths / 10).\(tenths % 10) s" : ProgressLine.clock(duration)
    }
}
