internal import HTTPTypes

/// The adapters and retriers of a request, those of the session first, in the order in which they are run and asked.
///
/// It is handed on many times on the way of one request: as one reference.
struct Interception: Sendable {
    /// A retrier, and what else it is: to find that out takes longer than most of them think.
    struct Asked: Sendable {
        let retrier: any RequestRetrier
        /// `nil` where it has nothing to say of successes.
        let reconsiderer: (any ResponseRetrier)?
        let prompt: (any PromptRetrier)?
        let selective: (any SelectiveRetrier)?

        fileprivate init(_ retrier: any RequestRetrier) {
            self.retrier = retrier
            let reconsiderer = retrier as? any ResponseRetrier
            self.reconsiderer = (retrier as? Retrier)?.reconsiders == false ? nil : reconsiderer
            self.prompt = reconsiderer as? any PromptRetrier
            self.selective = reconsiderer as? any SelectiveRetrier
        }
    }

    /// Some statuses, a bit each: what every answer is looked up in.
    private struct StatusSet {
        private static let all = 0..<1000
        private var words: [UInt64] = []

        /// Puts some in; `nil` stands for all.
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
        /// The work of the adapters that can do it at once.
        let eager: [EagerAdaptation]
        let retriers: [Asked]
        /// Those of the retriers that have something to say of successes.
        let reconsiderers: [Asked]
        /// Of which successes that may be.
        let concerned: StatusSet

        init(adapters: [any RequestAdapter], retriers: [Asked]) {
            self.adapters = adapters
            self.eager = adapters.compactMap { ($0 as? any EagerAdapter)?.adaptation }
            self.retriers = retriers
            self.reconsiderers = retriers.filter { $0.reconsiderer != nil }
            self.concerned = reconsiderers.reduce(into: StatusSet()) { $0.insert($1.prompt?.statuses) }
        }
    }

    private var parts = Parts.none

    init(_ interceptor: (any RequestInterceptor)? = nil) {
        if let interceptor { append(interceptor) }
    }

    var adapters: [any RequestAdapter] { parts.adapters }

    /// The work of all adapters; `nil` if one of them can't do it at once.
    var eagerAdapters: [EagerAdaptation]? { parts.eager.count == parts.adapters.count ? parts.eager : nil }

    var retriers: [Asked] { parts.retriers }

    var reconsiderers: [Asked] { parts.reconsiderers }

    /// Whether any retrier may have something to say of a success: most answers concern none of those that know at once.
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

    mutating func append(contentsOf other: Interception) {
        parts = Parts(adapters: adapters + other.adapters, retriers: retriers + other.retriers)
    }

    private mutating func add(adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = []) {
        parts = Parts(adapters: self.adapters + adapters, retriers: self.retriers + retriers.map(Asked.init))
    }

    private static func adapters(in adapter: any RequestAdapter) -> [any RequestAdapter] {
        if let several = adapter as? Interceptor { return several.adapters.flatMap { adapters(in: $0) } }
        return adapter is any RetryingInterceptor ? [] : [adapter]
    }

    private static func retriers(in retrier: any RequestRetrier) -> [any RequestRetrier] {
        if let several = retrier as? Interceptor { return several.retriers.flatMap { retriers(in: $0) } }
        return [retrier]
    }
}
