internal import ApusCore
internal import Metrics

/// Metrics by their dimensions, each made once.
///
/// Beyond so many the host is not told apart any more: methods, statuses and errors have an end of their own.
final class MetricShelf<Made: Sendable>: Sendable {
    private let limit: Int
    private let make: @Sendable (MetricKey) -> Made
    private let made = Lock<[MetricKey: Made]>([:])

    init(limit: Int = 4096, _ make: @escaping @Sendable (MetricKey) -> Made) {
        self.limit = limit
        self.make = make
    }

    subscript(key: MetricKey) -> Made {
        let (found, isFull) = made.withLock { ($0[key], $0.count >= limit) }
        if let found { return found }
        guard isFull, key.host != MetricKey.otherHost else { return add(key) }
        return self[key.ofOtherHost]
    }

    /// Backends are called outside of the lock; should two come at once, both get the one that was there first.
    private func add(_ key: MetricKey) -> Made {
        let new = make(key)
        return made.withLock { made in
            if let found = made[key] { return found }
            made[key] = new
            return new
        }
    }
}

/// Makes metrics, whose names have a prefix.
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
