internal import Apus

/// Formats the metrics as lines of text, for the `m` of `--print`.
enum MetricsLines {
    static func lines(_ metrics: RequestMetrics) -> [String] {
        var lines = ["Elapsed time: \(seconds(metrics.duration))"]
        guard let hop = metrics.hops.last else { return lines }
        if metrics.redirectCount > 0 { lines.append("Redirects: \(metrics.redirectCount)") }
        if let address = hop.remoteAddress { lines.append("Remote address: \(TerminalText.line(address))") }
        if let version = hop.tlsVersion { lines.append("TLS version: \(version)") }
        let phases: [(String, MonotonicInstant?, MonotonicInstant?)] = [
            ("Name lookup", hop.resolveBegin, hop.resolveEnd),
            ("Connect", hop.connectBegin, hop.connectEnd),
            ("TLS handshake", hop.tlsBegin, hop.tlsEnd),
            ("Send", hop.requestBegin, hop.requestEnd),
            ("Wait", hop.requestEnd, hop.responseBegin),
            ("Receive", hop.responseBegin, hop.end),
        ]
        for (name, begin, end) in phases {
            if let begin, let end, begin <= end { lines.append("\(name): \(seconds(begin.duration(to: end)))") }
        }
        lines.append("Received: \(ByteCount.text(Int64(hop.responseHeadBytes) + hop.responseBodyBytes))")
        return lines
    }

    /// Formats a duration: `0.012345s`.
    static func seconds(_ duration: Duration) -> String {
        let microseconds = max(0, Int64((duration.inSeconds * 1e6).rounded()))
        let fraction = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)s"
    }
}
