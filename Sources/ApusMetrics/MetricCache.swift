internal import ApusCore
internal import Metrics

/// A cache of metrics by their dimensions. Each is created once.
///
/// Beyond the limit, new keys use the host `other`. Methods, statuses and errors have few values.
final class MetricCache<Metric: Sendable>: Sendable {
    private let limit: Int
    private let make: @Sendable (MetricKey) -> Metric
    private let metrics = Lock<[MetricKey: Metric]>([:])

    init(limit: Int = 4096, _ make: @escaping @Sendable (MetricKey) -> Metric) {
        self.limit = limit
        self.make = make
    }

    subscript(key: MetricKey) -> Metric {
        let (found, isFull) = metrics.withLock { ($0[key], $0.count >= limit) }
        if let found { return found }
        guard isFull, key.host != MetricKey.otherHost else { return add(key) }
        return self[key.ofOtherHost]
    }

    /// Creates metrics outside of the lock, since that calls a backend. If two threads race, the first one's are used.
    private func add(_ key: MetricKey) -> Metric {
        let new = make(key)
        return metrics.withLock { metrics in
            if let found = metrics[key] { return found }
            metrics[key] = new
            return new
        }
    }
}

/// Creates metrics with a prefix in their names.
struct MetricMaker: Sendable {
    let prefix: String
    let factory: any MetricsFactory

    func counter(_ name: String, _ dimensions: MetricKey.Dimensions) -> Counter {
        Counter(label: prefix + name, dimensions: dimensions, factory: factory)
    }

    func timer(_ name: String, _ dimensions: MetricKey.Dimensions) -> Timer {
        Timer(label: prefix + name, dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory)
    }

    func recorder(_ name: String, _ dimensions: MetricKey.Dimensions) -> Recorder {
        Recorder(label: prefix + name, dimensions: dimensions, factory: factory)
    }

    func meter(_ name: String, _ dimensions: MetricKey.Dimensions) -> Meter {
        Meter(label: prefix + name, dimensions: dimensions, factory: factory)
    }
}
