internal import HTTPTypes

/// The adapters and retriers of a request, in the order in which they run. Those of the session come first.
///
/// One reference, since it is passed on many times in the course of a request.
struct InterceptorSet: Sendable {
    /// A retrier with the results of its casts, since the casts take longer than most decisions.
    struct RetrierEntry: Sendable {
        let retrier: any RequestRetrier
        /// `nil` if it ignores successes.
        let reconsiderer: (any ResponseRetrier)?
        let synchronous: (any SynchronousRetrier)?

        fileprivate init(_ retrier: any RequestRetrier) {
            self.retrier = retrier
            let reconsiderer = retrier as? any ResponseRetrier
            self.reconsiderer = (retrier as? Retrier)?.reconsiders == false ? nil : reconsiderer
            self.synchronous = reconsiderer as? any SynchronousRetrier
        }
    }

    /// A set of statuses as a bitmap, for a fast lookup of every response's status.
    private struct StatusSet {
        private static let all = 0..<1000
        private var words: [UInt64] = []

        /// Inserts statuses. `nil` stands for all.
        mutating func insert(_ statuses: Set<Int>?) {
            if words.isEmpty { words = Array(repeating: 0, count: (Self.all.count + 63) / 64) }
            guard let statuses else {
                words = words.map { _ in .max }
                return
            }
            for status in statuses where Self.all.contains(status) { words[status / 64] |= 1 << (status % 64) }
        }

        func contains(_ status: Int) -> Bool {
            status / 64 < words.count && words[status / 64] >> (status % 64) & 1 == 1
        }
    }

    private final class Parts: Sendable {
        static let none = Parts(adapters: [], retriers: [])

        let adapters: [any RequestAdapter]
        /// The synchronous forms of the adapters that have one.
        let synchronousAdapters: [SynchronousAdaptation]
        let retriers: [RetrierEntry]
        /// The retriers that may retry successes.
        let reconsiderers: [RetrierEntry]
        /// The statuses of those successes.
        let concerned: StatusSet

        init(adapters: [any RequestAdapter], retriers: [RetrierEntry]) {
            self.adapters = adapters
            self.synchronousAdapters = adapters.compactMap { SynchronousAdaptation($0) }
            self.retriers = retriers
            self.reconsiderers = retriers.filter { $0.reconsiderer != nil }
            self.concerned = reconsiderers.reduce(into: StatusSet()) { $0.insert($1.synchronous?.interestingStatuses) }
        }
    }

    private var parts = Parts.none

    init(_ interceptor: (any RequestInterceptor)? = nil) {
        if let interceptor { append(interceptor) }
    }

    var adapters: [any RequestAdapter] { parts.adapters }

    /// The synchronous forms of all adapters, or `nil` if one of them has none.
    var synchronousAdapters: [SynchronousAdaptation]? {
        parts.synchronousAdapters.count == parts.adapters.count ? parts.synchronousAdapters : nil
    }

    var retriers: [RetrierEntry] { parts.retriers }

    var reconsiderers: [RetrierEntry] { parts.reconsiderers }

    /// Returns whether any retrier may retry a success with this status.
    func mayReconsider(_ status: HTTPResponse.Status) -> Bool { parts.concerned.contains(status.code) }

    var isEmpty: Bool { parts.adapters.isEmpty && parts.retriers.isEmpty }

    mutating func append(_ interceptor: any RequestInterceptor) {
        add(adapters: Self.adapters(in: interceptor), retriers: Self.retriers(in: interceptor))
    }

    mutating func append(adapter: any RequestAdapter) {
        add(adapters: Self.adapters(in: adapter))
    }

    mutating func append(retrier: any RequestRetrier) {
        add(retriers: Self.retriers(in: retrier))
    }

    mutating func append(contentsOf other: InterceptorSet) {
        parts = Parts(adapters: adapters + other.adapters, retriers: retriers + other.retriers)
    }

    private mutating func add(adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = []) {
        parts = Parts(adapters: self.adapters + adapters, retriers: self.retriers + retriers.map(RetrierEntry.init))
    }

    private static func adapters(in adapter: any RequestAdapter) -> [any RequestAdapter] {
        if let several = adapter as? Interceptor { return several.adapters.flatMap { adapters(in: $0) } }
        return adapter is any RetryOnlyInterceptor ? [] : [adapter]
    }

    private static func retriers(in retrier: any RequestRetrier) -> [any RequestRetrier] {
        if let several = retrier as? Interceptor { return several.retriers.flatMap { retriers(in: $0) } }
        return [retrier]
    }
}
