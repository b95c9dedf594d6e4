public import HTTPTypes
public import Logging

/// Everything that a session can be told, copied when the session is made.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.timeouts.request = .seconds(30)
/// configuration.pool.connectionsPerOrigin = 16
/// let session = Session(configuration: configuration)
/// ```
public struct SessionConfiguration: Sendable {
    /// The time each phase may take.
    public var timeouts = Timeouts()
    /// How many connections there may be, and for how long.
    public var pool = PoolLimits()
    /// The bounds on what a peer can make this side hold.
    public var limits = Limits()
    /// How many requests may be on their way at once; more wait their turn before anything is done for them. 256.
    public var requestsInFlight = 256
    /// What happens on a redirect. Followed, at most 20.
    public var redirects = RedirectPolicy.follow
    /// Who decides about each redirect that would be followed. Nobody: all are.
    public var redirectHandler: (any RedirectHandler)?
    /// Where credentials come from when a server asks for them. Nowhere: its refusal is the answer.
    public var credentials: CredentialSource?
    /// Who changes requests before they are sent, and decides which go again; `Interceptor` makes one of several. Nobody.
    public var interceptor: (any RequestInterceptor)?
    /// How much of the traffic may be what `RetryPolicy` has go again; `nil` is any share. A fifth, or ten in ten seconds.
    public var retryBudget: RetryBudget? = RetryBudget()
    /// Whether the content of answers is decoded. It is.
    public var contentDecoding = ContentDecoding.automatic
    /// Fields that each request gets unless it has them. `defaultFields`.
    public var fields = Self.defaultFields
    /// Whom to trust.
    public var trust = Trust()
    /// Middleware around everything: it sees a request once, whatever redirects follow.
    public var middleware: [any Middleware] = []
    /// Middleware next to the wire: it sees each exchange.
    public var networkMiddleware: [any Middleware] = []
    /// Where middleware, validators and serializers of your own run. Off the loop.
    public var userCode = UserCodeExecution.offLoop
    /// Who is told each step.
    public var eventMonitors: [any EventMonitor] = []
    /// Who writes each exchange down for an archive. Nobody.
    public var recorder: HARRecorder?
    /// Where the session logs: what begins, ends and fails at `debug`, every other step at `trace`, nothing above.
    ///
    /// The logger's level is asked once, when the session is made: at `info` and above requests cost nothing for it.
    /// The lines are written on a queue of their own, in the order of each request's events, with its number as
    /// `apus-request-id`; secrets are taken out of them.
    public var logger = Logger(label: "apus")
    /// Whether a request starts with its first response handler; else it waits for `resume()`. It does.
    public var startRequestsImmediately = true
    /// The clock of everything above the transport.
    public var time: any RequestTime = SystemTime()
    /// The settings of other modules, each by a type of that module, which has a property for it.
    package var options = RequestOptions.none

    /// The defaults.
    public init() {}

    /// `Accept: */*`, a `User-Agent` that names the program, the system and this library, and the user's languages as
    /// `Accept-Language`, where the environment names any. What can be decoded is asked for besides, as
    /// `contentDecoding` says.
    public static let defaultFields: HTTPFields = {
        var fields: HTTPFields = [.accept: "*/*", .userAgent: UserAgent.current.fieldValue]
        fields[.acceptLanguage] = PreferredLanguages.current.fieldValue
        return fields
    }()
}

/// The time each phase of a request may take. `nil` is any time.
public struct Timeouts: RequestOption, Hashable {
    /// Resolving the host and connecting to one of its addresses. 10 s.
    public var connect: Duration? = .seconds(10)
    /// The TLS handshake. 10 s.
    public var tls: Duration? = .seconds(10)
    /// How long nothing may arrive once the peer has the whole request, or has begun to answer. Default: 60 s.
    public var idleRead: Duration? = .seconds(60)
    /// How long nothing of a request may leave: the peer acknowledges none of its bytes, or the source of its content
    /// gives none. Default: 60 s.
    public var idleWrite: Duration? = .seconds(60)
    /// The whole request, waiting, redirects and the content included. Any time.
    public var request: Duration?
    /// Waiting for a connection. 30 s.
    public var poolWait: Duration? = .seconds(30)
    /// How long a content that expects `100 (Continue)` is held back before it is sent anyway. 1 s.
    public var expectContinue: Duration = .seconds(1)
    /// How long the content of a response that was refused is collected for its error. Default: 2 s.
    public var errorBody: Duration? = .seconds(2)

    /// The defaults.
    public init() {}
}

/// How many connections there may be, and for how long.
public struct PoolLimits: Sendable, Hashable {
    /// Connections to one origin. 8.
    public var connectionsPerOrigin = 8
    /// Connections in all. 256.
    public var connectionsTotal = 256
    /// How long an unused connection is kept. 60 s.
    public var idleTimeout: Duration = .seconds(60)
    /// How old a connection may be when it is given a request. Any age.
    public var maximumAge: Duration?

    /// The defaults.
    public init() {}
}

/// The bounds on what a peer can make this side hold.
public struct Limits: Sendable, Hashable {
    /// How exactly a server has to follow the grammar of HTTP/1.1.
    ///
    /// In both modes a response is refused if it could be read in two ways: lengths that contradict each other, a length
    /// beside chunks, a control character in a field, a chunk that is longer than its size.
    public enum Parsing: Sendable, Hashable {
        /// Accepts deviations that leave no doubt where a response ends.
        ///
        /// A field may be folded over several lines, which are joined by spaces. A lone LF ends a line of the head and
        /// of the trailers. White space may follow a chunk size. `Transfer-Encoding: identity` means no transfer coding.
        /// `Content-Length` and `Transfer-Encoding` of a response that has no content are not checked. Bytes behind a
        /// complete gzip content are dropped and counted in `HopMetrics.ignoredContentBytes`.
        case lenient
        /// Refuses these deviations with an error.
        case strict
    }

    /// Status line and field section of a response, in bytes. 64 KiB.
    public var responseHeadBytes = 64 << 10
    /// One field line, in bytes. 16 KiB.
    public var fieldBytes = 16 << 10
    /// Field lines of one section. 256.
    public var fieldCount = 256
    /// Informational responses before the final one. 32.
    public var informationalResponses = 32
    /// The line before a chunk, in bytes. 64.
    public var chunkSizeLineBytes = 64
    /// The trailer section, in bytes. 16 KiB.
    public var trailerBytes = 16 << 10
    /// A content that is collected in memory, in bytes. 256 MiB.
    public var collectedBodyBytes = 256 << 20
    /// What is kept of the content of a refused answer, in bytes. 1 MiB.
    public var errorBodyBytes = 1 << 20
    /// How many times larger than what came in a decoded content may be, once it is above `expansionFloorBytes`. 256.
    public var expansionRatio = 256
    /// The size below which expansion is not limited, in bytes. 1 MiB.
    public var expansionFloorBytes = 1 << 20
    /// Content codings on top of each other. 5.
    public var stackedCodings = 5
    /// How exactly a server has to follow the grammar of HTTP/1.1. Default: `.lenient`.
    public var parsing = Parsing.lenient

    /// The defaults.
    public init() {}
}

/// Whom a session trusts. Unequal trust never shares a connection.
public struct Trust: Sendable, Hashable {
    /// The certificates that a server's chain has to end in.
    public enum Roots: Sendable, Hashable {
        /// Those of the operating system.
        case system
        /// Those of a PEM file, and no others.
        case file(String)
        /// Those in PEM text, and no others.
        case pem(String)
    }

    /// What has to be right with a server's certificate.
    public enum Verification: Sendable, Hashable {
        /// The chain and the name.
        case full
        /// The chain; any name will do.
        case chainOnly
        /// Nothing. Whoever sits on the way can read and change everything.
        case none
    }

    /// A version of TLS that is secure. RFC 8996 forbids the versions before them.
    public enum TLSVersion: Sendable, Hashable {
        /// TLS 1.2, with an ephemeral key exchange (ECDHE) in any case.
        case v12
        /// TLS 1.3.
        case v13
    }

    /// The certificates that a server's chain has to end in. The system's.
    public var roots = Roots.system
    /// What has to be right. Everything.
    public var verification = Verification.full
    /// The oldest version of TLS that a connection may use. Default: `.v12`.
    ///
    /// A request to a server that offers older versions alone ends with `tlsVersionUnsupported`.
    public var minimumTLSVersion = TLSVersion.v12

    /// The defaults.
    public init() {}
}

/// Where code of the user's runs.
public enum UserCodeExecution: Sendable, Hashable {
    /// On the global executor: what blocks there holds no event loop up. That executor has as many threads as the machine
    /// has cores; when all are blocked, other code there waits.
    case offLoop
    /// On the event loop, a thread change cheaper; whatever blocks there delays every request of that loop.
    case onLoop
}
