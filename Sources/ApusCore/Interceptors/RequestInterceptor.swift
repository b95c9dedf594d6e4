/// Both an adapter and a retrier. By default it changes no request and retries none.
///
/// Where a type does only one of both, `RequestAdapter` or `RequestRetrier` is cheaper: it is not asked for the other.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
    public func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage { request }

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult { .doNotRetry }
}

/// Several adapters and retriers as one interceptor: of a session, of a handle, or, as an option, of a direct call.
///
/// ```swift
/// let patient = Interceptor(retriers: [RetryPolicy(retryLimit: 5)])
/// let answer = try await session.get("https://example.org/", options: [patient])
/// ```
///
/// As an option it comes after the session's own.
public struct Interceptor: RequestInterceptor, RequestOption {
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
        for retrier in retriers {
            let result = await retrier.retry(attempt, dueTo: error)
            if !result.leavesItToOthers { return result }
        }
        return .doNotRetry
    }
}
