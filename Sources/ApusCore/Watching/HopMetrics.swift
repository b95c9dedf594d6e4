public import HTTPTypes

/// Why an exchange took place.
public enum HopCause: String, Sendable, Hashable {
    /// It is what was asked for.
    case first
    /// The answer before it was a redirect.
    case redirect
    /// The answer before it was a challenge.
    case challenge
    /// The exchange before it was slow.
    case hedge
    /// The connection before it was dead before anything of the request had reached the server.
    case resend
    /// The attempt before it failed.
    case retry
}

/// What was measured of one exchange. Instants are of the monotonic clock; what did not take place is `nil`.
public struct HopMetrics: Sendable {
    /// The method that was sent.
    public let method: HTTPRequest.Method
    /// What the exchange was for.
    public let target: TargetURI
    /// Why it took place.
    public let cause: HopCause

    /// When the exchange was handed to the transport.
    public var begin: MonotonicInstant
    /// When a connection was free for it: the end of the wait in the queue, of connecting, or of both.
    public var connectionReady: MonotonicInstant?
    /// The name server was asked for the host; `nil` on a reused connection and for an address.
    public var resolveBegin: MonotonicInstant?
    /// The name server had answered.
    public var resolveEnd: MonotonicInstant?
    /// The first address was tried; `nil` on a reused connection.
    public var connectBegin: MonotonicInstant?
    /// The TCP connection was there.
    public var connectEnd: MonotonicInstant?
    /// The TLS handshake began; `nil` in the clear and on a reused connection.
    public var tlsBegin: MonotonicInstant?
    /// The TLS handshake had ended.
    public var tlsEnd: MonotonicInstant?
    /// The first byte of the request was written.
    public var requestBegin: MonotonicInstant?
    /// The last byte of the request was written.
    public var requestEnd: MonotonicInstant?
    /// The first byte of the response was read.
    public var responseBegin: MonotonicInstant?
    /// The last byte of the response was read, or the exchange failed.
    public var end: MonotonicInstant?

    /// Whether the connection had served before.
    public var isReused = false
    /// How often the request was sent again because a kept-alive connection turned out to be dead.
    public var resendCount = 0
    /// The session's number for the connection.
    public var connectionNumber: Int?
    /// The peer's address and port.
    public var remoteAddress: String?
    /// The protocol as ALPN spells it: `http/1.1`.
    public var networkProtocol: String?
    /// `TLSv1.2` or `TLSv1.3`; the negotiated cipher can't be told.
    public var tlsVersion: String?

    /// The response's status, once it was there.
    public var status: HTTPResponse.Status?
    /// The informational responses that came before it, in order.
    public var informational: [HTTPResponse] = []

    /// Bytes of the request's head on the wire, above TLS.
    public var requestHeadBytes = 0
    /// Bytes of the request's content that were handed to the wire, without what frames them.
    public var requestBodyBytes: Int64 = 0
    /// Bytes of everything in the response but its content: heads, informational ones too, framing, trailers.
    public var responseHeadBytes = 0
    /// Bytes of the response's content as it came, still coded.
    public var responseBodyBytes: Int64 = 0
    /// Bytes behind the end of a complete gzip content that were dropped; known once the content was read to its end.
    /// They are among `responseBodyBytes`. Default: 0.
    public var ignoredContentBytes: Int64 = 0

    /// Why it failed, where it did.
    public var error: ApusError?

    init(method: HTTPRequest.Method, target: TargetURI, cause: HopCause, begin: MonotonicInstant) {
        self.method = method
        self.target = target
        self.cause = cause
        self.begin = begin
    }

    /// The whole exchange; up to `now` while it is going on.
    public func duration(now: MonotonicInstant = .now) -> Duration { begin.duration(to: end ?? now) }

    /// From the first byte of the request to the first byte of the response.
    public var timeToFirstByte: Duration? {
        guard let requestBegin, let responseBegin else { return nil }
        return requestBegin.duration(to: responseBegin)
    }
}

/// What was measured of one request: every exchange it took, in order.
public struct RequestMetrics: Sendable {
    // Most requests have one exchange: two fields cost them nothing, a list of one a piece of memory.
    private let first: ExchangeRecord?
    private let others: [ExchangeRecord]
    /// The redirects that were followed.
    let redirects: [FollowedRedirect]
    /// What goes on goes on by it.
    private let time: any RequestTime

    package init(
        first: ExchangeRecord?,
        others: [ExchangeRecord] = [],
        redirects: [FollowedRedirect] = [],
        time: any RequestTime = SystemTime()
    ) {
        self.first = first
        self.others = others
        self.redirects = redirects
        self.time = time
    }

    /// All of it, as errors keep it.
    package var course: RequestCourse { RequestCourse(hops: hops, redirects: redirects) }

    /// The exchanges, in the order of their beginning.
    public var hops: [HopMetrics] { records.map(\.metrics) }

    private var records: [ExchangeRecord] { first.map { [$0] + others } ?? [] }

    /// How many of them followed a redirect.
    public var redirectCount: Int { records.count { $0.cause == .redirect } }

    /// From the beginning of the first exchange to the latest end; up to now while one is going on.
    public var duration: Duration {
        let hops = hops
        guard let first = hops.first, let end = hops.map({ $0.end ?? time.now }).max() else { return .zero }
        return first.begin.duration(to: end)
    }
}
