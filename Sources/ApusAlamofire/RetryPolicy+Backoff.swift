public import Apus
public import HTTPTypes

extension RetryPolicy {
    /// Creates a policy with the names that Alamofire has.
    ///
    /// The delay is a random part of `exponentialBackoffScale × exponentialBackoffBase ^ retryCount` seconds, and at
    /// most 30 seconds.
    ///
    /// - Parameters:
    ///   - retryLimit: The maximum number of retries of a request. Default: 2.
    ///   - exponentialBackoffBase: The factor by which the maximum delay grows with each retry. Default: 2.
    ///   - exponentialBackoffScale: The maximum delay of the first retry in seconds. Default: 0.5.
    ///   - retryableHTTPMethods: The methods whose requests are retried. Default: the idempotent ones.
    ///   - retryableHTTPStatusCodes: The statuses of responses that are retried. Default: `transientStatuses`.
    @_disfavoredOverload
    public init(
        retryLimit: Int = 2,
        exponentialBackoffBase: UInt = 2,
        exponentialBackoffScale: Double = 0.5,
        retryableHTTPMethods: Set<HTTPRequest.Method> = RetryPolicy.idempotentMethods,
        retryableHTTPStatusCodes: Set<Int> = RetryPolicy.transientStatuses
    ) {
        self.init(
            retryLimit: retryLimit,
            base: Double(exponentialBackoffBase),
            scale: Duration(interval: exponentialBackoffScale),
            methods: retryableHTTPMethods,
            statuses: retryableHTTPStatusCodes
        )
    }
}
