public import HTTPTypes

/// The reason for an exchange.
public enum ExchangeCause: String, Sendable, Hashable {
    /// It is the first exchange of the request.
    case first
    /// The previous response was a redirect.
    case redirect
    /// The previous response was a challenge.
    case challenge
    /// The previous exchange was slow.
    case hedge
    /// A retrier repeated the request.
    case retry
    /// A part of a file could not be continued, so the whole file is requested.
    case restart
    /// A segment of a file is requested beside others, or its rest after a failure.
    case segment
}

/// The measurements of one exchange. Instants are of the monotonic clock. Steps that did not take place are `nil`.
public struct ExchangeMetrics: Sendable {
    /// The method of the request.
    public let method: HTTPRequest.Method
    /// The target of the request.
    public let target: TargetURI
    /// The reason for the exchange.
    public let cause: ExchangeCause

    /// When the exchange was handed to the transport.
    public var begin: MonotonicInstant
    /// When a connection was ready: the end of waiting in the queue, of connecting, or of both.
    public var connectionReady: MonotonicInstant?
    /// When the DNS lookup began. `nil` on a reused connection and for an IP address.
    public var resolveBegin: MonotonicInstant?
    /// When the DNS lookup ended.
    public var resolveEnd: MonotonicInstant?
    /// When the first address was tried. `nil` on a reused connection.
    public var connectBegin: MonotonicInstant?
    /// When the TCP connection was established. Through a proxy, when its tunnel was open.
    public var connectEnd: MonotonicInstant?
    /// When the TLS handshake began. `nil` without TLS and on a reused connection.
    public var tlsBegin: MonotonicInstant?
    /// When the TLS handshake ended.
    public var tlsEnd: MonotonicInstant?
    /// When the first byte of the request was written.
    public var requestBegin: MonotonicInstant?
    /// When the last byte of the request was written.
    public var requestEnd: MonotonicInstant?
    /// When the first byte of the response was read.
    public var responseBegin: MonotonicInstant?
    /// When the last byte of the response was read, or the exchange failed.
    public var end: MonotonicInstant?

    /// Whether the connection was open before: an earlier exchange has used it, or over HTTP/2 still uses it, or it was
    /// prepared. Default: `false`.
    public var isReused = false
    /// Whether the server's certificate was verified for the host of the request. `nil` if the transport does not tell.
    package var isHostVerified: Bool?
    /// How often the request was sent again because a kept-alive connection turned out to be dead or, over HTTP/2,
    /// because the server had not processed it or responded with 421 on the connection of another origin. Default: 0.
    public var resendCount = 0
    /// The number of the connection within the session.
    public var connectionNumber: Int?
    /// The value of `streamNumber`, or 0 for `nil`. It is declared here to fill the padding after `connectionNumber`.
    private var storedStreamNumber: Int32 = 0
    /// The address and port of the peer, which is the proxy if there is one, or the path of a Unix socket.
    public var remoteAddress: String?
    /// The proxy by its URL, without user and password. `nil` without a proxy.
    public var proxy: String?
    /// The protocol by its ALPN name, for example `http/1.1`.
    public var networkProtocol: String?
    /// `TLSv1.2` or `TLSv1.3`. The negotiated cipher is not available.
    public var tlsVersion: String?
    /// The server's certificates: the validated chain from its own certificate to a root, or those that it has sent if
    /// they were not validated. Default: none.
    public var peerCertificates: [ServerCertificate] = []

    /// The status of the response, once it has arrived.
    public var status: HTTPResponse.Status?
    /// The informational responses that came before it, in order. Default: none.
    public var informational: [HTTPResponse] = []

    /// Bytes of the request's head on the wire, before encryption. Default: 0.
    public var requestHeadBytes = 0
    /// Bytes of the request's body that were handed to the wire, without framing. Default: 0.
    public var requestBodyBytes: Int64 = 0
    /// Bytes of the response except its body: all heads, informational ones too, framing and trailers. Default: 0.
    public var responseHeadBytes = 0
    /// Bytes of the response's body as received, before decoding. Default: 0.
    public var responseBodyBytes: Int64 = 0
    /// Bytes after the end of a complete gzip body that were dropped. Set once the body was read to its end. They are
    /// included in `responseBodyBytes`. Default: 0.
    public var ignoredContentBytes: Int64 = 0

    /// The failure, if there was one.
    public var error: ApusError?

    /// The number of the stream on its connection: the stream identifier of RFC 9113 §5.1.1. `nil` over HTTP/1.1, and
    /// before the request has a connection.
    public var streamNumber: Int? {
        get { storedStreamNumber == 0 ? nil : Int(storedStreamNumber) }
        set { storedStreamNumber = newValue.flatMap { Int32(exactly: $0) } ?? 0 }
    }

    init(method: HTTPRequest.Method, target: TargetURI, cause: ExchangeCause, begin: MonotonicInstant) {
        self.method = method
        self.target = target
        self.cause = cause
        self.begin = begin
    }

    /// The duration of the whole exchange, up to `now` while it is active.
    public func duration(now: MonotonicInstant = .now) -> Duration { begin.duration(to: end ?? now) }

    /// The time from the first byte of the request to the first byte of the response.
    public var timeToFirstByte: Duration? {
        guard let requestBegin, let responseBegin else { return nil }
        return requestBegin.duration(to: responseBegin)
    }
}

/// The measurements of one request: all its exchanges, in order.
public struct RequestMetrics: Sendable {
    // Most requests have one exchange. Two fields save the allocation of an array for it.
    private let first: ExchangeRecord?
    private let others: [ExchangeRecord]
    /// The redirects that were followed.
    let redirects: [FollowedRedirect]
    /// The clock for exchanges that are still active.
    private let clock: AnySessionClock

    package init(
        first: ExchangeRecord?,
        others: [ExchangeRecord] = [],
        redirects: [FollowedRedirect] = [],
        clock: AnySessionClock = AnySessionClock(SystemClock())
    ) {
        self.first = first
        self.others = others
        self.redirects = redirects
        self.clock = clock
    }

    /// The exchanges and redirects, as kept by errors.
    package var course: ExchangeHistory { ExchangeHistory(exchanges: exchanges, redirects: redirects) }

    /// The exchanges, in the order in which they began.
    public var exchanges: [ExchangeMetrics] { records.map(\.metrics) }

    private var records: [ExchangeRecord] { first.map { [$0] + others } ?? [] }

    /// The number of exchanges that followed a redirect.
    public var redirectCount: Int { records.count { $0.cause == .redirect } }

    /// The time from the beginning of the first exchange to the latest end, up to now while an exchange is active.
    public var duration: Duration {
        let exchanges = exchanges
        guard let first = exchanges.first, let end = exchanges.map({ $0.end ?? clock.now }).max() else { return .zero }
        return first.begin.duration(to: end)
    }
}

extension ExchangeMetrics: CustomStringConvertible {
    /// Method, URI, status, duration, bytes, connection and stream, on one line.
    public var description: String {
        let outcome = status.map { "\($0.code)" } ?? "no response"
        let time = end.map { " in \(begin.duration(to: $0).formatted)" } ?? ""
        let stream = streamNumber.map { ", stream \($0)" } ?? ""
        let connection = connectionNumber.map { ", connection \($0)\(isReused ? " (reused)" : "")\(stream)" } ?? ""
        let peer = (remoteAddress.map { " to \($0)" } ?? "") + (proxy.map { " through \($0)" } ?? "")
        return "\(method.rawValue) \(target): \(outcome)\(time), \(responseBodyBytes) bytes\(connection)\(peer)"
    }
}

extension RequestMetrics: CustomStringConvertible {
    /// One line per exchange.
    public var description: String { exchanges.map(\.description).joined(separator: "\n") }
}
