/// The adapters and retriers of a request, those of the session first, in the order in which they are run and asked.
struct Interception: Sendable {
    private(set) var adapters: [any RequestAdapter] = []
    /// Those of the adapters that can do their work at once.
    private var eager: [any EagerAdapter] = []
    private(set) var retriers: [any RequestRetrier] = []
    /// Those of the retriers that have something to say of successes.
    private(set) var reconsiderers: [any ResponseRetrier] = []

    init(_ interceptor: (any RequestInterceptor)? = nil) {
        if let interceptor { append(interceptor) }
    }

    /// The adapters, where all of them can do their work at once; `nil` where one can't.
    var eagerAdapters: [any EagerAdapter]? { eager.count == adapters.count ? eager : nil }

    var isEmpty: Bool { adapters.isEmpty && retriers.isEmpty }

    mutating func append(_ interceptor: any RequestInterceptor) {
        if let several = interceptor as? Interceptor {
            for adapter in several.adapters { append(adapter: adapter) }
            for retrier in several.retriers { append(retrier: retrier) }
        } else {
            append(adapter: interceptor)
            append(retrier: interceptor)
        }
    }

    mutating func append(adapter: any RequestAdapter) {
        if let several = adapter as? Interceptor {
            for adapter in several.adapters { append(adapter: adapter) }
        } else if !(adapter is any RetryingInterceptor) {
            adapters.append(adapter)
            if let adapter = adapter as? any EagerAdapter, adapter.adaptsAtOnce { eager.append(adapter) }
        }
    }

    mutating func append(retrier: any RequestRetrier) {
        if let several = retrier as? Interceptor {
            for retrier in several.retriers { append(retrier: retrier) }
            return
        }
        retriers.append(retrier)
        guard let retrier = retrier as? any ResponseRetrier else { return }
        if let retrier = retrier as? Retrier, !retrier.reconsiders { return }
        reconsiderers.append(retrier)
    }

    mutating func append(contentsOf other: Interception) {
        adapters += other.adapters
        eager += other.eager
        retriers += other.retriers
        reconsiderers += other.reconsiderers
    }
}
