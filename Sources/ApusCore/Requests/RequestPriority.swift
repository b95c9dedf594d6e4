/// The priority of a request among those that wait.
///
/// ```swift
/// let thumbnail = try await session.get(url, options: [RequestPriority.low])
/// ```
///
/// It counts while a request waits for one of the `requestsInFlight` of its session, and for a connection to its
/// origin. The waiting request with the highest priority is served first, and those of one priority in the order of
/// their arrival. A request that need not wait is sent at once, and a request in flight is never interrupted. The
/// priority is never sent.
///
/// Requests of a low priority wait as long as others of a higher one keep coming. `Timeouts.poolWait` limits their wait
/// for a connection, and `Timeouts.request` or ``RequestDeadline`` the whole request. A request that is resent on a new
/// connection waits in front of all others. The priority does not count among origins that wait for one of the
/// `pool.connectionsTotal`.
///
/// A retry waits with the priority of the message, which an adapter or a middleware may have changed.
public struct RequestPriority: RequestOption, IncidentalOption, RawRepresentable, Hashable, Comparable {
    /// The number that priorities are compared by. Zero for `normal`.
    public let rawValue: Int

    /// Creates a priority.
    ///
    /// - Parameter rawValue: A higher number is served first. That of `low` is -10, of `normal` 0, and of `high` 10.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// For requests that can wait, for example those that load data in advance.
    public static let low = RequestPriority(rawValue: -10)
    /// The priority of requests without this option.
    public static let normal = RequestPriority(rawValue: 0)
    /// For requests that a person waits for.
    public static let high = RequestPriority(rawValue: 10)

    /// Returns whether the first priority is served after the second.
    public static func < (one: RequestPriority, other: RequestPriority) -> Bool { one.rawValue < other.rawValue }
}

extension RequestOptions {
    /// The priority of a request with these options.
    package var priority: RequestPriority { self[RequestPriority.self] ?? .normal }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the index at which a waiter with a priority joins a queue: behind all those with the same or a higher
    /// one.
    ///
    /// - Parameters:
    ///   - priority: The priority of the new waiter.
    ///   - key: Returns the priority of a waiter. The collection is ordered by it, the highest first.
    /// - Returns: The index.
    package func insertionIndex(for priority: RequestPriority, by key: (Element) -> RequestPriority) -> Int {
        // Most requests have the same priority and join at the end.
        guard let last, key(last) < priority else { return endIndex }
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if key(self[middle]) < priority { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
