/// Both an adapter and a retrier; it changes nothing and goes again never, unless it says so.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
    public func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage { request }

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult { .doNotRetry }
}

/// Several adapters and retriers as one interceptor.
public struct Interceptor: RequestInterceptor {
    /// Run in this order.
    public let adapters: [any RequestAdapter]
    /// Asked in this order.
    public let retriers: [any RequestRetrier]

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - adapters: Run first, in their order; none by default.
    ///   - retriers: Asked first, in their order; none by default.
    ///   - interceptors: Run and asked after those, in their order; none by default.
    public init(
        adapters: [any RequestAdapter] = [],
        retriers: [any RequestRetrier] = [],
        interceptors: [any RequestInterceptor] = []
    ) {
        self.adapters = adapters + interceptors
        self.retriers = retriers + interceptors
    }

    public func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
        var request = request
        for adapter in adapters { request = try await adapter.adapt(request, context: context) }
        return request
    }

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        await firstDecision { await $0.retry(attempt, dueTo: error) }
    }

    public func reconsider(_ attempt: RequestAttempt) async -> RetryResult {
        await firstDecision { await $0.reconsider(attempt) }
    }

    private func firstDecision(_ ask: (any RequestRetrier) async -> RetryResult) async -> RetryResult {
        for retrier in retriers {
            let result = await ask(retrier)
            if case .doNotRetry = result { continue }
            return result
        }
        return .doNotRetry
    }
}
