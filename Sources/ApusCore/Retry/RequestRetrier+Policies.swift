public import HTTPTypes

/// The retry policies where a retrier or an interceptor is expected: `request.retry(using: .retryPolicy)`.
extension RequestRetrier where Self == RetryPolicy {
    /// The default `RetryPolicy`.
    public static var retryPolicy: RetryPolicy { RetryPolicy() }

    /// Returns a `RetryPolicy`. Its initializer describes the parameters.
    public static func retryPolicy(
        retryLimit: Int = 2,
        base: Double = 2,
        scale: Duration = .milliseconds(500),
        maximumDelay: Duration = .seconds(30),
        retryAfterCeiling: Duration = .seconds(60),
        methods: Set<HTTPRequest.Method> = RetryPolicy.idempotentMethods,
        statuses: Set<Int> = RetryPolicy.transientStatuses,
        codes: Set<ApusError.Code> = RetryPolicy.transientCodes
    ) -> RetryPolicy {
        RetryPolicy(
            retryLimit: retryLimit,
            base: base,
            scale: scale,
            maximumDelay: maximumDelay,
            retryAfterCeiling: retryAfterCeiling,
            methods: methods,
            statuses: statuses,
            codes: codes
        )
    }
}

extension RequestRetrier where Self == ConnectionLostRetryPolicy {
    /// The default `ConnectionLostRetryPolicy`.
    public static var connectionLostRetryPolicy: ConnectionLostRetryPolicy { ConnectionLostRetryPolicy() }

    /// Returns a `ConnectionLostRetryPolicy`. Its initializer describes the parameters.
    public static func connectionLostRetryPolicy(
        retryLimit: Int = 2,
        base: Double = 2,
        scale: Duration = .milliseconds(500),
        methods: Set<HTTPRequest.Method> = RetryPolicy.idempotentMethods
    ) -> ConnectionLostRetryPolicy {
        ConnectionLostRetryPolicy(retryLimit: retryLimit, base: base, scale: scale, methods: methods)
    }
}
