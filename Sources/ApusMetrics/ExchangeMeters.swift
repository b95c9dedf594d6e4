internal import ApusCore
internal import Metrics

/// The metrics of an outcome.
final class ExchangeMeters: Sendable {
    private let count: Counter
    private let duration: Timer

    init(_ key: MetricKey, _ maker: MetricMaker) {
        count = maker.counter("http.client.exchanges", key.exchange)
        duration = maker.timer("http.client.request.duration", key.exchange)
    }

    func note(_ exchange: ExchangeMetrics) {
        count.increment()
        duration.record(noLessThanZero: exchange.duration())
    }
}
