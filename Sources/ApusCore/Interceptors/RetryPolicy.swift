public import HTTPTypes

/// Has requests go again that failed by no fault of theirs, after a delay that grows and that chance spreads.
///
/// A request goes again where its method may be repeated, its content can be sent again, it has not gone again as often as
/// the limit allows, and it failed with one of the codes or with a refused status that is in the set (a status counts
/// once validation refuses it: see `validate()`). The delay is a random time between nothing and
/// `scale × base ^ retryCount`, at most `maximumDelay`; or what the server's `Retry-After` says, where that is no longer
/// than `retryAfterCeiling`. A server that wants more patience than that has refused for good.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.interceptor = RetryPolicy(retryLimit: 3, maximumDelay: .seconds(10))
/// ```
///
/// See RFC 9110 §9.2.2 (methods that may be repeated), §10.2.3 (Retry-After).
public struct RetryPolicy: RequestInterceptor {
    /// The methods that RFC 9110 calls idempotent: `DELETE`, `GET`, `HEAD`, `OPTIONS`, `PUT`, `TRACE`, and `QUERY`.
    public static let idempotentMethods: Set<HTTPRequest.Method> = [.delete, .get, .head, .options, .put, .trace, .query]

    /// 408, 429, 500, 502, 503 and 504.
    public static let transientStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// What the network, or a server that is going down, is to blame for.
    public static let transientCodes: Set<ApusError.Code> = [
        .hostNotFound, .resolveFailed, .connectTimeout, .connectFailed, .tlsTimeout, .tlsFailed, .writeTimeout, .sendFailed,
        .readTimeout, .connectionClosed, .contentCodingFailed,
    ]

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
    /// The refused statuses after which they do.
    public var statuses: Set<Int>
    /// The errors after which they do.
    public var codes: Set<ApusError.Code>
    /// How much of the traffic may be requests that go again; `nil` is any share.
    public var budget: RetryBudget?
    /// A number from 0 up to 1, for tests.
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
    ///   - statuses: The refused statuses after which they do; those of passing trouble by default.
    ///   - codes: The errors after which they do; those of the network and of servers going down by default.
    ///   - budget: How much of the traffic may be requests that go again; a fifth by default.
    public init(
        retryLimit: Int = 2,
        base: Double = 2,
        scale: Duration = .milliseconds(500),
        maximumDelay: Duration = .seconds(30),
        retryAfterCeiling: Duration = .seconds(60),
        methods: Set<HTTPRequest.Method> = Self.idempotentMethods,
        statuses: Set<Int> = Self.transientStatuses,
        codes: Set<ApusError.Code> = Self.transientCodes,
        budget: RetryBudget? = RetryBudget()
    ) {
        self.retryLimit = retryLimit
        self.base = max(1, base)
        self.scale = scale
        self.maximumDelay = maximumDelay
        self.retryAfterCeiling = retryAfterCeiling
        self.methods = methods
        self.statuses = statuses
        self.codes = codes
        self.budget = budget
    }

    public func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
        budget?.noteAttempt(at: context.time.now)
        return request
    }

    public func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        guard attempt.retryCount < retryLimit, methods.contains(attempt.request.method),
            attempt.request.body.isReplayable, isTransient(error)
        else { return .doNotRetry }
        guard let delay = delay(of: attempt, error), budget?.takeRetry(at: attempt.context.time.now) ?? true else {
            return .doNotRetry
        }
        return .retryWithDelay(delay)
    }

    private func isTransient(_ error: ApusError) -> Bool {
        if error.code == .unacceptableStatus { return error.responseCode.map(statuses.contains) ?? false }
        return codes.contains(error.code)
    }

    /// `nil` where the server wants more patience than there is.
    private func delay(of attempt: RequestAttempt, _ error: ApusError) -> Duration? {
        if let wish = attempt.response?.headerFields[.retryAfter].flatMap({ RetryAfter($0) }) {
            let delay = wish.delay(from: attempt.context.time.wallClock)
            return delay <= retryAfterCeiling ? delay : nil
        }
        var longest = scale
        for _ in 0..<attempt.retryCount where longest < maximumDelay { longest = longest * base }
        return min(longest, maximumDelay) * chance()
    }
}
