internal import Apus

/// Formats the metrics as lines of text, for the `m` of `--print`.
enum MetricsLines {
    static func lines(_ metrics: RequestMetrics) -> [String] {
        var lines = ["Elapsed time: \(seconds(metrics.duration))"]
        guard let exchange = metrics.exchanges.last else { return lines }
        if metrics.redirectCount > 0 { lines.append("Redirects: \(metrics.redirectCount)") }
        if let address = exchange.remoteAddress { lines.append("Remote address: \(TerminalText.line(address))") }
        if let proxy = exchange.proxy { lines.append("Proxy: \(TerminalText.line(proxy))") }
        if let name = exchange.networkProtocol { lines.append("Protocol: \(name)") }
        if let number = exchange.streamNumber { lines.append("Stream: \(number)") }
        if let version = exchange.tlsVersion { lines.append("TLS version: \(version)") }
        lines += ConnectionLines.certificates(exchange)
        let phases: [(String, MonotonicInstant?, MonotonicInstant?)] = [
            ("Name lookup", exchange.resolveBegin, exchange.resolveEnd),
            ("Connect", exchange.connectBegin, exchange.connectEnd),
            ("TLS handshake", exchange.tlsBegin, exchange.tlsEnd),
            ("Send", exchange.requestBegin, exchange.requestEnd),
            ("Wait", exchange.requestEnd, exchange.responseBegin),
            ("Receive", exchange.responseBegin, exchange.end),
        ]
        for (name, begin, end) in phases {
            if let begin, let end, begin <= end { lines.append("\(name): \(seconds(begin.duration(to: end)))") }
        }
        lines.append("Received: \(ByteCount.text(Int64(exchange.responseHeadBytes) + exchange.responseBodyBytes))")
        return lines
    }

    /// Formats a duration: `0.012345s`.
    static func seconds(_ duration: Duration) -> String {
        let microseconds = max(0, Int64((duration.inSeconds * 1e6).rounded()))
        return "\(microseconds / 1_000_000).\((microseconds % 1_000_000).padded(to: 6))s"
    }
}
