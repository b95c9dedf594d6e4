public import HTTPTypes

/// Retries requests that failed because of the server or the network, after a growing delay with jitter.
///
/// A request is retried if its method may be repeated, its content can be sent again, it was retried less often than
/// `retryLimit`, and it failed with one of the codes or was answered with one of the statuses, validated or not. The
/// delay is a random time between zero and `scale × base ^ retryCount`, at most `maximumDelay`. If the server sends
/// `Retry-After`, its time is the delay; if that is longer than `retryAfterCeiling`, the request is not retried. No
/// more requests are retried than `configuration.retryBudget` allows. If the deadline of the request is not after the
/// delay, the request is not retried, and its outcome stands.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.interceptor = RetryPolicy(retryLimit: 3, maximumDelay: .seconds(10))
/// ```
///
/// See RFC 9110 §9.2.2 (methods that may be repeated), §10.2.3 (Retry-After).
public struct RetryPolicy: RequestInterceptor, ResponseRetrier {
    /// The methods that RFC 9110 calls idempotent: `DELETE`, `GET`, `HEAD`, `OPTIONS`, `PUT`, `TRACE`, and `QUERY`.
    public static let idempotentMethods: Set<HTTPRequest.Method> = [
        .delete, .get, .head, .options, .put, .trace, query,
    ]

    /// 408, 429, 500, 502, 503 and 504.
    public static let transientStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// What the network, or a server that is going down, is to blame for.
    public static let transientCodes: Set<ApusError.Code> = [
        .hostNotFound, .resolveFailed, .connectTimeout, .connectFailed, .tlsTimeout, .tlsFailed, .writeTimeout,
        .sendFailed,
        .readTimeout, .connectionClosed,
    ]

    private static let query = HTTPRequest.Method(rawValue: "QUERY") ?? .get

    /// How often a request goes again at most.
    public var retryLimit: Int
    /// What the delay is multiplied with from one time to the next.
    public var base: Double
    /// The longest delay of the first time.
    public var scale: Duration
    /// The longest delay of any time.
    public var maximumDelay: Duration
    /// The longest time that a server may ask for.
    public var retryAfterCeiling: Duration
    /// The methods whose requests go again.
    public var methods: Set<HTTPRequest.Method>
    /// The statuses after which they do.
    public var statuses: Set<Int>
    /// The errors after which they do.
    public var codes: Set<ApusError.Code>
    /// A number from 0 up to 1: where tests have no chance.
    var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - retryLimit: How often a request goes again at most; 2 by default.
    ///   - base: What the delay is multiplied with from one time to the next; 2 by default, at least 1.
    ///   - scale: The longest delay of the first time; 0.5 s by default.
    ///   - maximumDelay: The longest delay of any time; 30 s by default.
    ///   - retryAfterCeiling: The longest time that a server may ask for; 60 s by default.
    ///   - methods: The methods whose requests go again; the idempotent ones by default.
    ///   - statuses: The statuses after which they do; those of passing trouble by default.
    ///   - codes: The errors after which they do; those of the network and of servers going down by default.
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

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        decision(attempt, dueTo: error)
    }

    public func reconsider(_ attempt: RequestAttempt) async -> RetryResult {
        decision(attempt, dueTo: nil)
    }
}

/// Has a request go again whose connection was lost under way, and no other.
public struct ConnectionLostRetryPolicy: RequestInterceptor, ResponseRetrier {
    private let policy: RetryPolicy

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - retryLimit: How often a request goes again at most; 2 by default.
    ///   - base: What the delay is multiplied with from one time to the next; 2 by default, at least 1.
    ///   - scale: The longest delay of the first time; 0.5 s by default.
    ///   - methods: The methods whose requests go again; the idempotent ones by default.
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

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        decision(attempt, dueTo: error)
    }

    public func reconsider(_ attempt: RequestAttempt) async -> RetryResult {
        decision(attempt, dueTo: nil)
    }
}

extension RetryPolicy: RetryingInterceptor, PromptRetrier {
    func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult {
        guard isTransient(attempt, error), attempt.retryCount < retryLimit, methods.contains(attempt.request.method),
            attempt.request.body.isReplayable, let delay = delay(of: attempt), attempt.context.hasTime(for: delay),
            attempt.context.takeRetry()
        else { return .doNotRetry }
        return .retryWithDelay(delay)
    }

    /// An answer is judged by its status, whatever validators and serializers make of it.
    private func isTransient(_ attempt: RequestAttempt, _ error: ApusError?) -> Bool {
        if let status = attempt.head?.status.code, statuses.contains(status) { return true }
        return error.map { codes.contains($0.code) } ?? false
    }

    /// `nil` where the server wants more patience than there is.
    private func delay(of attempt: RequestAttempt) -> Duration? {
        let now = attempt.context.time.wallClock
        if let wish = attempt.head?.fields[.retryAfter].flatMap({ RetryAfter($0, now: now) }) {
            return wish.delay <= retryAfterCeiling ? wish.delay : nil
        }
        var longest = min(scale, maximumDelay)
        for _ in 0..<attempt.retryCount where longest < maximumDelay { longest = grown(longest) }
        // The product is rounded.
        return min(longest * chance(), longest)
    }

    /// A delay, multiplied with the base, or the longest where the product is longer, however large the base is.
    private func grown(_ delay: Duration) -> Duration {
        guard delay > .zero, !base.isNaN else { return delay }
        return base < maximumDelay / delay ? delay * max(base, 0) : maximumDelay
    }
}

extension ConnectionLostRetryPolicy: RetryingInterceptor, PromptRetrier {
    var statuses: Set<Int> { policy.statuses }

    func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult {
        policy.decision(attempt, dueTo: error)
    }
}
