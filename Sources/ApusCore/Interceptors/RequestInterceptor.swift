/// An adapter and a retrier in one. By default it changes no request and retries none.
///
/// A type that is only one of the two should conform to `RequestAdapter` or `RequestRetrier`, which is cheaper.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
    public func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage { request }

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult { .doNotRetry }
}

/// Combines adapters and retriers into one interceptor, for a session, a handle, or, as an option, a direct call.
///
/// ```swift
/// let patient = Interceptor(retriers: [RetryPolicy(retryLimit: 5)])
/// let response = try await session.get("https://example.org/", options: [patient])
/// ```
///
/// As an option it runs after the session's own interceptor.
public struct Interceptor: RequestInterceptor, RequestOption {
    /// The adapters, in the order in which they run.
    public let adapters: [any RequestAdapter]
    /// The retriers, in the order in which they are called.
    public let retriers: [any RequestRetrier]

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - adapters: Adapters, which run first, in this order. Default: none.
    ///   - retriers: Retriers, which are called first, in this order. Default: none.
    ///   - interceptors: Interceptors, which run after `adapters` and `retriers`, in this order. Default: none.
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
