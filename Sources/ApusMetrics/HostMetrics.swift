internal import ApusCore
internal import Metrics

/// The metrics of a host.
final class HostMetrics: Sendable {
    private let sent: Counter
    private let received: Counter
    private let opened: Counter
    private let reused: Counter
    private let phases: [(phase: ExchangePhase, timer: Timer)]

    init(_ key: MetricKey, _ maker: MetricMaker) {
        let place = key.place
        sent = maker.counter("http.client.bytes.sent", place)
        received = maker.counter("http.client.bytes.received", place)
        opened = maker.counter("http.client.connections.opened", place)
        reused = maker.counter("http.client.connections.reused", place)
        phases = ExchangePhase.allCases.map { phase in
            let dimensions = place + [("http.client.phase", phase.rawValue)]
            return (phase, maker.timer("http.client.phase.duration", dimensions))
        }
    }

    func note(_ exchange: ExchangeMetrics) {
        let sentBytes = Int64(exchange.requestHeadBytes) + exchange.requestBodyBytes
        let receivedBytes = Int64(exchange.responseHeadBytes) + exchange.responseBodyBytes
        if sentBytes > 0 { sent.increment(by: sentBytes) }
        if receivedBytes > 0 { received.increment(by: receivedBytes) }
        if exchange.connectionReady != nil { (exchange.isReused ? reused : opened).increment() }
        for (phase, timer) in phases {
            if let duration = phase.duration(in: exchange) { timer.record(noLessThanZero: duration) }
        }
    }
}
