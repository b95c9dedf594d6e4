public import HTTPTypes

/// Retries requests that failed because of the server or the network, after a growing delay with jitter.
///
/// A request is retried if all of these hold:
/// - It failed with one of `codes`, or its response has one of `statuses`, validated or not.
/// - Its method is one of `methods`. For other methods that are not idempotent, an `Idempotency-Key` is enough.
/// - Its body can be sent again.
/// - It was retried fewer than `retryLimit` times.
/// - Its response has no `Retry-After`, or one of at most `retryAfterCeiling`.
/// - Its deadline is after the delay.
/// - `configuration.retryBudget` allows another retry. Only requests that are retried are charged to it.
///
/// The delay is the time of `Retry-After`, or else a random time between zero and `scale × base ^ retryCount`, at most
/// `maximumDelay`. If a condition does not hold, the next retrier decides. Without another one the outcome is final.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.interceptor = RetryPolicy(retryLimit: 3, maximumDelay: .seconds(10))
/// ```
///
/// See RFC 9110 §9.2.2 (methods that may be repeated), §10.2.3 (Retry-After).
public struct RetryPolicy: RequestInterceptor {
    /// The methods that RFC 9110 calls idempotent: `DELETE`, `GET`, `HEAD`, `OPTIONS`, `PUT`, `TRACE`, and `QUERY`.
    public static let idempotentMethods = HTTPRequest.Method.idempotent

    /// The statuses of transient server failures: 408, 429, 500, 502, 503 and 504.
    public static let transientStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// The codes of failures caused by the network, or by a server that is shutting down.
    public static let transientCodes: Set<ApusError.Code> = [
        .hostNotFound, .resolveFailed, .connectTimeout, .connectFailed, .tlsTimeout, .tlsFailed, .writeTimeout,
        .sendFailed, .proxyTimeout, .proxyConnectFailed,
        .readTimeout, .connectionClosed, .streamReset,
    ]

    /// The maximum number of retries of a request. Default: 2.
    public var retryLimit: Int
    /// The factor by which the maximum delay grows with each retry. Default: 2.
    public var base: Double
    /// The maximum delay of the first retry. Default: 0.5 seconds.
    public var scale: Duration
    /// The maximum delay of any retry. Default: 30 seconds.
    public var maximumDelay: Duration
    /// The maximum delay that a server may ask for. Default: 60 seconds.
    public var retryAfterCeiling: Duration
    /// The methods whose requests are retried. Default: the idempotent ones.
    public var methods: Set<HTTPRequest.Method>
    /// The statuses of responses that are retried. Default: `transientStatuses`.
    public var statuses: Set<Int>
    /// The codes of errors that are retried. Default: `transientCodes`.
    public var codes: Set<ApusError.Code>
    /// A random number from 0 up to, not including, 1. Tests replace it.
    var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - retryLimit: The maximum number of retries of a request. Default: 2.
    ///   - base: The factor by which the maximum delay grows with each retry, at least 1. Default: 2.
    ///   - scale: The maximum delay of the first retry. Default: 0.5 seconds.
    ///   - maximumDelay: The maximum delay of any retry. Default: 30 seconds.
    ///   - retryAfterCeiling: The maximum delay that a server may ask for. Default: 60 seconds.
    ///   - methods: The methods whose requests are retried. Default: the idempotent ones.
    ///   - statuses: The statuses of responses that are retried. Default: `transientStatuses`.
    ///   - codes: The codes of errors that are retried. Default: `transientCodes`.
    public init(
        retryLimit: Int = 2,
        base: Double = 2,
        scale: Duration = .milliseconds(500),
        maximumDelay: Duration = .seconds(30),
        retryAfterCeiling: Duration = .seconds(60),
        methods: Set<HTTPRequest.Method> = Self.idempotentMethods,
        statuses: Set<Int> = Self.transientStatuses,
        codes: Set<ApusError.Code> = Self.transientCodes
    ) {
        self.retryLimit = retryLimit
        self.base = max(1, base)
        self.scale = scale
        self.maximumDelay = maximumDelay
        self.retryAfterCeiling = retryAfterCeiling
        self.methods = methods
        self.statuses = statuses
        self.codes = codes
    }
}

/// Retries requests whose connection was lost, and no others.
public struct ConnectionLostRetryPolicy: RequestInterceptor {
    private let policy: RetryPolicy

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - retryLimit: The maximum number of retries of a request. Default: 2.
    ///   - base: The factor by which the maximum delay grows with each retry, at least 1. Default: 2.
    ///   - scale: The maximum delay of the first retry. Default: 0.5 seconds.
    ///   - methods: The methods whose requests are retried. Default: the idempotent ones.
    public init(
        retryLimit: Int = 2,
        base: Double = 2,
        scale: Duration = .milliseconds(500),
        methods: Set<HTTPRequest.Method> = RetryPolicy.idempotentMethods
    ) {
        self.policy = RetryPolicy(
            retryLimit: retryLimit,
            base: base,
            scale: scale,
            methods: methods,
            statuses: [],
            codes: [.connectionClosed, .sendFailed]
        )
    }
}

extension RetryPolicy: RetryOnlyInterceptor, SynchronousRetrier {
    public var interestingStatuses: Set<Int>? { statuses }

    public func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult? {
        decide(attempt, dueTo: error)
    }

    func decide(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult {
        guard isTransient(attempt, error), attempt.retryCount < retryLimit, isRepeatable(attempt),
            attempt.request.options[ManagedTransfer.self] == nil, attempt.request.body.isReplayable,
            let delay = delay(of: attempt), attempt.context.hasTime(for: delay), attempt.context.takeRetry()
        else { return .doNotRetry }
        return .retryWithDelay(delay)
    }

    /// Returns whether the method allows a retry. The first condition avoids a look at the context.
    private func isRepeatable(_ attempt: RequestAttempt) -> Bool {
        methods.contains(attempt.request.method) || !attempt.request.method.isIdempotent && attempt.isIdempotent
    }

    /// Returns whether the failure is transient. The status counts even if a validator or serializer failed.
    private func isTransient(_ attempt: RequestAttempt, _ error: ApusError?) -> Bool {
        if let status = attempt.head?.status.code, statuses.contains(status) { return true }
        return error.map { codes.contains($0.code) } ?? false
    }

    /// Returns the delay of the next retry, or `nil` if the server asks for more than `retryAfterCeiling`.
    private func delay(of attempt: RequestAttempt) -> Duration? {
        let now = attempt.context.time.wallClock
        if let wish = attempt.head?.fields[.retryAfter].flatMap({ RetryAfter($0, now: now) }) {
            return wish.delay <= retryAfterCeiling ? wish.delay : nil
        }
        var longest = min(scale, maximumDelay)
        for _ in 0..<attempt.retryCount where longest < maximumDelay { longest = grown(longest) }
        // `min` guards against rounding up.
        return min(longest * chance(), longest)
    }

    /// Returns the delay times `base`, but at most `maximumDelay`.
    private func grown(_ delay: Duration) -> Duration {
        guard delay > .zero, !base.isNaN else { return delay }
        return base < maximumDelay / delay ? delay * max(base, 0) : maximumDelay
    }
}

extension ConnectionLostRetryPolicy: RetryOnlyInterceptor, SynchronousRetrier {
    public var interestingStatuses: Set<Int>? { [] }

    public func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult? {
        decide(attempt, dueTo: error)
    }

    func decide(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult {
        policy.decide(attempt, dueTo: error)
    }
}
