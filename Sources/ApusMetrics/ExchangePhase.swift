internal import ApusCore

/// The phases of an exchange, by their names in metrics.
enum ExchangePhase: String, CaseIterable, Sendable {
    case queue, dns, connect, tls, send, wait, receive

    /// Returns the duration of the phase, `nil` if it did not take place or did not end.
    func duration(in exchange: ExchangeMetrics) -> Duration? {
        switch self {
        case .queue:
            Self.duration(exchange.begin, exchange.resolveBegin ?? exchange.connectBegin ?? exchange.connectionReady)
        case .dns: Self.duration(exchange.resolveBegin, exchange.resolveEnd)
        case .connect: Self.duration(exchange.connectBegin, exchange.connectEnd)
        case .tls: Self.duration(exchange.tlsBegin, exchange.tlsEnd)
        case .send: Self.duration(exchange.requestBegin, exchange.requestEnd)
        case .wait: Self.duration(exchange.requestEnd ?? exchange.requestBegin, exchange.responseBegin)
        case .receive: Self.duration(exchange.responseBegin, exchange.end)
        }
    }

    private static func duration(_ begin: MonotonicInstant?, _ end: MonotonicInstant?) -> Duration? {
        guard let begin, let end else { return nil }
        return begin.duration(to: end)
    }
}
