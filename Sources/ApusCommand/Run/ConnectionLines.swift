internal import Apus

/// Describes the connection of the last exchange, for `--verbose` and for the metrics.
enum ConnectionLines {
    /// Returns the lines of `--verbose`: version, address, protocol and certificates. Empty without TLS.
    static func lines(_ metrics: RequestMetrics) -> [String] {
        guard let exchange = metrics.exchanges.last, let version = exchange.tlsVersion else { return [] }
        let parts = [version, exchange.remoteAddress, exchange.networkProtocol].compactMap(\.self)
        return ["* \(TerminalText.line(parts.joined(separator: ", ")))"] + certificates(exchange).map { "* \($0)" }
    }

    /// Returns a line for each certificate, the server's own first.
    static func certificates(_ exchange: ExchangeMetrics) -> [String] {
        exchange.peerCertificates.map { "Certificate: \(TerminalText.line($0.description))" }
    }
}
