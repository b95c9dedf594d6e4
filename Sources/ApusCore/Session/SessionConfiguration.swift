public import HTTPTypes
public import Logging

/// The settings of a session, copied when the session is created.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.timeouts.request = .seconds(30)
/// configuration.pool.connectionsPerOrigin = 16
/// let session = Session(configuration: configuration)
/// ```
public struct SessionConfiguration: Sendable {
    /// The URL that the URLs of requests are relative to. Its path ends with a slash: one is added if it does not. If it
    /// is invalid, requests fail with `invalidURL`. Default: `nil`, requests have complete URLs.
    ///
    /// `users/1` goes below its path, `/users/1` replaces its path, and a complete URL replaces it: RFC 3986 §5.2.
    public var baseURL: (any URLConvertible)?
    /// The maximum durations of the phases of a request.
    public var timeouts = Timeouts()
    /// The limits on the number, the age and the uses of connections.
    public var pool = ConnectionPoolLimits()
    /// The probes that find dead connections. `nil` for none. Default: `TCPKeepAlive()`: the first after 15 s without
    /// traffic, the next ones every 15 s, and 9 in all.
    public var tcpKeepAlive: TCPKeepAlive? = TCPKeepAlive()
    /// The limits on data received from a peer.
    public var limits = ResponseLimits()
    /// The maximum number of concurrent requests. Further requests are queued. Default: 256.
    public var requestsInFlight = 256
    /// The maximum rates of request and response bodies, shared by all requests of the session. Default: `.unlimited`.
    ///
    /// The option `TransferRateLimit` limits one request further.
    public var transferRate = TransferRateLimit.unlimited
    /// Whether redirects are followed, and how many. Default: `.follow`, at most 20.
    public var redirects = RedirectPolicy.follow
    /// Decides about each redirect that would be followed. Without a handler all are followed. Default: `nil`.
    public var redirectHandler: (any RedirectHandler)?
    /// The source of credentials for authentication challenges. Default: `nil`: a 401 is returned as the response.
    public var credentials: CredentialSource?
    /// Adapts requests before they are sent and decides about retries. `Interceptor` combines several. Default: `nil`.
    public var interceptor: (any RequestInterceptor)?
    /// The limit on retries by `RetryPolicy`. `nil` for no limit.
    ///
    /// Default: `RetryBudget()`: 0.2 retries per attempt, and at least 10 in 10 s.
    public var retryBudget: RetryBudget? = RetryBudget()
    /// Whether response bodies are decoded. Default: `.automatic`.
    public var contentDecoding = ContentDecoding.automatic
    /// The responses that requests accept. Default: `.off`, all of them.
    public var validation = ResponseValidation.off
    /// Header fields that are added to each request that lacks them. Default: `defaultFields`.
    public var fields = Self.defaultFields
    /// The identification of the program: the `User-Agent` in `fields`. `nil` removes it. Default: `.current`.
    ///
    /// A request with a `User-Agent` of its own keeps it.
    public var userAgent: UserAgent? {
        get { fields[.userAgent].map { UserAgent(fieldValue: $0) } }
        set { fields[.userAgent] = newValue?.fieldValue }
    }
    /// Resolves host names into addresses. Default: `nil`, the operating system's resolver, `SystemHostResolver`.
    public var resolver: (any HostResolving)?
    /// The addresses that connections use: overrides of hosts, families, a Unix socket, the local address, and a guard
    /// against internal addresses. Default: `AddressRules()`, all addresses of the resolver.
    public var addresses = AddressRules()
    /// The certificates that the session trusts.
    public var trust = ServerTrust()
    /// Chooses an evaluator for each host whose `ServerTrust` has none. Default: `nil`.
    public var serverTrustManager: ServerTrustManager?
    /// The settings of TLS: versions, cipher suites, and the client's own certificate.
    public var tls = TLSSettings()
    /// The client's certificates by host, for servers that ask for one. Default: `nil`.
    ///
    /// The identity of `tls`, or of the option `TLSSettings`, takes precedence.
    public var clientIdentities: ClientIdentities?
    /// The proxies that requests go through. Default: `.environment`, those of `http_proxy` and the other variables.
    public var proxy = ProxySelection.environment
    /// The versions of HTTP. Default: `.automatic`, HTTP/2 if the server chooses it over TLS, otherwise HTTP/1.1.
    public var protocols = HTTPProtocols.automatic
    /// The settings of HTTP/2 connections.
    public var http2 = HTTP2Configuration()
    /// Middleware that sees each attempt of a request, regardless of redirects. Default: none.
    public var middleware: [any Middleware] = []
    /// Middleware that sees each exchange. Default: none.
    public var networkMiddleware: [any Middleware] = []
    /// Where middleware, validators and serializers of your own run. Default: `.concurrent`.
    public var handlerExecution = HandlerExecution.concurrent
    /// Monitors that are notified of each step of a request. Default: none.
    public var eventMonitors: [any EventMonitor] = []
    /// The logger: logs start, end and failures at `debug`, every other step at `trace`, and nothing at higher levels.
    ///
    /// The logger's level is read once, when the session is created. At `info` and above logging costs requests
    /// nothing. The lines are written on a separate queue, in the order of each request's events, with its number as
    /// `apus-request-id`. Secrets are redacted.
    public var logger = Logger(label: "apus")
    /// Whether a request starts with its first response handler. If not, it waits for `resume()`. Default: `true`.
    public var startRequestsImmediately = true
    /// The clock of everything above the transport.
    public var time: any SessionClock = SystemClock()
    /// The settings of other modules. Each is a type of its module, which also has a property for it.
    package var options = RequestOptions.none

    /// Creates the default configuration.
    public init() {}

    /// `Accept: */*`, a `User-Agent` that names the program, the system and this library, and the user's languages as
    /// `Accept-Language`, if the environment names any. `Accept-Encoding` is added according to `contentDecoding`.
    public static let defaultFields: HTTPFields = {
        var fields: HTTPFields = [.accept: "*/*", .userAgent: UserAgent.current.fieldValue]
        fields[.acceptLanguage] = PreferredLanguages.current.fieldValue
        return fields
    }()
}

/// The maximum durations of the phases of a request, for a whole session. `nil` is no limit.
///
/// A single request changes some of them with the option `RequestTimeouts`, and the time for the whole request with
/// `RequestDeadline`.
public struct Timeouts: Sendable, Hashable {
    /// The time for resolving the host and connecting to one of its addresses. Default: 10 s.
    public var connect: Duration? = .seconds(10)
    /// The time for the TLS handshake. Default: 10 s.
    public var tls: Duration? = .seconds(10)
    /// The time for a proxy to open a tunnel, after the connection to it and its TLS handshake. Default: 10 s.
    public var proxy: Duration? = .seconds(10)
    /// The time without received bytes, once the peer has the whole request or has begun its response. Default: 60 s.
    public var idleRead: Duration? = .seconds(60)
    /// The time without progress in sending the request: the peer acknowledges none of its bytes, or the source of its
    /// body provides none. The time in which a suspended request holds its body back does not count. Default: 60 s.
    public var idleWrite: Duration? = .seconds(60)
    /// The time for the whole request, including queueing, redirects and the body. Default: `nil`.
    public var request: Duration?
    /// The time to wait for a connection. Default: 30 s.
    public var poolWait: Duration? = .seconds(30)
    /// The time to wait for `100 (Continue)` before the body is sent anyway. Default: 1 s.
    public var expectContinue: Duration = .seconds(1)
    /// The time for collecting the body of a rejected response for its error. Default: 2 s.
    public var errorBody: Duration? = .seconds(2)

    /// Creates the default timeouts.
    public init() {}
}

/// The limits on the number, the age and the uses of connections.
public struct ConnectionPoolLimits: Sendable, Hashable {
    /// The maximum number of connections to one origin. Default: 8.
    public var connectionsPerOrigin = 8
    /// The maximum number of connections in total. Default: 256.
    public var connectionsTotal = 256
    /// How long an unused connection is kept. Default: 60 s.
    public var idleTimeout: Duration = .seconds(60)
    /// The maximum age of a connection that is reused for a request. `nil` is no limit. Default: `nil`.
    public var maximumAge: Duration?
    /// The maximum number of exchanges on a connection. After the last one it is closed instead of being reused. At
    /// least 1. `nil` is no limit. Default: `nil`.
    public var usesPerConnection: Int?

    /// Creates the default limits.
    public init() {}
}

/// Where user code runs.
public enum HandlerExecution: Sendable, Hashable {
    /// On the global executor, where blocking code delays no event loop. That executor has as many threads as the
    /// machine has cores. If all are blocked, other code there waits.
    case concurrent
    /// On the event loop, which saves a thread change. Code that blocks there delays every request of that loop.
    case eventLoop
}

// Without this, reflection would print fields, bodies and query values, which may hold secrets.
extension SessionConfiguration: CustomStringConvertible {
    /// Timeouts, limits and counts, without field values and trust settings.
    public var description: String {
        "\(timeouts), \(pool), \(limits), \(requestsInFlight) requests in flight, \(fields.count) fields, "
            + "\(middleware.count + networkMiddleware.count) middlewares, \(eventMonitors.count) monitors"
    }
}
