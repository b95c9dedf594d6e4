/// The timeouts of one request that differ from those of its session.
///
/// ```swift
/// let timeouts = RequestTimeouts(idleRead: .unlimited, poolWait: .seconds(5))
/// let response = try await session.get("https://example.org/report", options: [timeouts])
/// ```
///
/// Each property that is `nil` leaves the value of the session. An option replaces another one of its kind as a whole:
/// the timeouts of a call replace those that a `RequestConvertible` has set.
///
/// The time for the whole request is a `RequestDeadline`. The times for connecting, for the TLS handshake and
/// for a proxy are always those of the session, since several requests may wait for one connection.
public struct RequestTimeouts: RequestOption, Hashable {
    /// The time limit of a phase.
    public enum Limit: Sendable, Hashable {
        /// No limit.
        case unlimited
        /// A limit of this duration.
        case after(Duration)

        /// Returns a limit in seconds.
        public static func seconds(_ seconds: some BinaryInteger) -> Limit { .after(.seconds(seconds)) }

        /// Returns a limit in seconds.
        public static func seconds(_ seconds: Double) -> Limit { .after(.seconds(seconds)) }

        /// Returns a limit in milliseconds.
        public static func milliseconds(_ milliseconds: some BinaryInteger) -> Limit {
            .after(.milliseconds(milliseconds))
        }

        /// The duration, or `nil` if there is no limit.
        var duration: Duration? {
            switch self {
            case .unlimited: nil
            case .after(let duration): duration
            }
        }
    }

    /// The time without received bytes, in place of `Timeouts.idleRead`. Default: `nil`, that of the session.
    public var idleRead: Limit?
    /// The time without progress in sending the request, in place of `Timeouts.idleWrite`. Default: `nil`, that of the
    /// session.
    public var idleWrite: Limit?
    /// The time to wait for a connection, in place of `Timeouts.poolWait`. Default: `nil`, that of the session.
    public var poolWait: Limit?
    /// The time to wait for `100 (Continue)`, in place of `Timeouts.expectContinue`. Default: `nil`, that of the
    /// session.
    public var expectContinue: Duration?
    /// The time for collecting the body of a rejected response, in place of `Timeouts.errorBody`. Default: `nil`, that
    /// of the session.
    public var errorBody: Limit?

    /// Creates timeouts for a request. Each one that is `nil` is that of the session.
    ///
    /// - Parameters:
    ///   - idleRead: The time without received bytes. Default: `nil`.
    ///   - idleWrite: The time without progress in sending the request. Default: `nil`.
    ///   - poolWait: The time to wait for a connection. Default: `nil`.
    ///   - expectContinue: The time to wait for `100 (Continue)`. Default: `nil`.
    ///   - errorBody: The time for collecting the body of a rejected response. Default: `nil`.
    public init(
        idleRead: Limit? = nil,
        idleWrite: Limit? = nil,
        poolWait: Limit? = nil,
        expectContinue: Duration? = nil,
        errorBody: Limit? = nil
    ) {
        self.idleRead = idleRead
        self.idleWrite = idleWrite
        self.poolWait = poolWait
        self.expectContinue = expectContinue
        self.errorBody = errorBody
    }

    /// Returns the timeouts of a session with those of this request in their places.
    package func applied(to session: Timeouts) -> Timeouts {
        var timeouts = session
        if let idleRead { timeouts.idleRead = idleRead.duration }
        if let idleWrite { timeouts.idleWrite = idleWrite.duration }
        if let poolWait { timeouts.poolWait = poolWait.duration }
        if let expectContinue { timeouts.expectContinue = expectContinue }
        if let errorBody { timeouts.errorBody = errorBody.duration }
        return timeouts
    }
}

extension RequestOptions {
    /// Sets the time without progress in both directions, and leaves the other timeouts of the option. `nil` stands for
    /// those of the session.
    package mutating func setIdleTimeout(_ limit: RequestTimeouts.Limit?) {
        var timeouts = self[RequestTimeouts.self] ?? RequestTimeouts()
        (timeouts.idleRead, timeouts.idleWrite) = (limit, limit)
        self[RequestTimeouts.self] = timeouts == RequestTimeouts() ? nil : timeouts
    }
}
