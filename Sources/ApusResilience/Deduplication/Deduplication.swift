public import ApusCore
public import HTTPTypes

/// Shares one exchange among identical requests that are under way at the same time.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.networkMiddleware = [Deduplication(), ConcurrencyLimiter(4)]
/// ```
///
/// The first request begins an exchange. Identical requests of the same session that arrive before its end join it. All
/// get the same status, fields and body, or the same error. A request that arrives after the end begins a new exchange,
/// since nothing is stored.
///
/// Requests are identical if they have the same method, target and fields, and equal options. Credentials in fields are
/// compared too, so that no user gets the response of another. Only GET and HEAD without a body are shared.
/// A `RequestDeadline` may differ, since each request keeps its own. An option of another type that is not `Hashable`
/// prevents sharing, as does a redirect handler or credential of a handle. Requests that a retrier or other user code
/// makes, and that another request waits for, share only with their kind.
///
/// A request that arrives after the response to an unsafe one of the same origin, such as a POST, does not join an
/// exchange that began before, since its response may be out of date.
///
/// The body is collected to be shared, so its progress is reported at once, at its end. A body of more than
/// `limitBytes` is not shared: the first waiting request gets it while it is received, and each other is sent by
/// itself. Streamed responses and downloads to files never share an exchange.
///
/// Add it to `networkMiddleware`, behind all middleware that adds fields: there it compares the fields as they are
/// sent, with cookies and credentials. Put it ahead of limiters, so that requests that join need no permit. In
/// `middleware` it shares whole attempts, with their redirects, and does not see fields that middleware behind it adds
/// for single requests. Copies of a configuration can share one instance. Their sessions share no exchanges, since
/// their transports differ.
///
/// The exchange belongs to the request that began it, and is in the metrics and events of that request. If that request
/// is cancelled and others wait, `exchangeEnded` follows its `finished`. A request that joined has no exchange of its
/// own. Its metrics have only its other exchanges, such as a redirect before it, and it reports no `exchangeBegan` and
/// `exchangeEnded`.
///
/// ## Cancellation
/// A request that is cancelled, or whose deadline has passed, leaves the exchange, which continues for the others. When
/// the last request leaves, the exchange is cancelled. The request does not wait for that.
public final class Deduplication: Middleware {
    private typealias Exchanges = SharedExchanges<DeduplicationKey, Turn, Task<Void, Never>>

    /// The outcome of an exchange, as one of its requests gets it.
    private enum Turn: Sendable {
        case response(SharedResponse)
        case failure(any Error)
        /// The response itself, whose body is too long to be shared.
        case unshared(ResponseMessage)
        /// The request must be sent by itself.
        case alone
    }

    /// The outcome of an exchange.
    private enum Ending: Sendable {
        case response(SharedResponse)
        case failure(any Error)
        /// The body is too long to be shared.
        case tooLong(ResponseMessage)
    }

    /// Whether the current code is part of a shared exchange. Its requests share none, since one could otherwise wait
    /// for the exchange that waits for it.
    @TaskLocal private static var isInExchange = false

    private static let safeMethods: Set<HTTPRequest.Method> = [.get, .head, .options, .query, .trace]

    private let limitBytes: Int
    private let ignoredFields: Set<HTTPField.Name>
    private let exchanges = Lock(Exchanges())

    /// Creates a middleware without exchanges.
    ///
    /// - Parameters:
    ///   - limitBytes: The maximum size of a shared body in bytes, as received at this position. Default: 8 MiB.
    ///   - ignoredFields: Fields that may differ between identical requests, such as one with an identifier for logs.
    ///     The exchange is sent with those of its first request. Fields that may hold a secret, such as
    ///     `Authorization`, are compared regardless. Default: none.
    public init(limitBytes: Int = 8 << 20, ignoredFields: Set<HTTPField.Name> = []) {
        self.limitBytes = limitBytes
        self.ignoredFields = ignoredFields
    }

    /// The number of exchanges under way that can be shared, and the number of requests that wait for them.
    public var counts: (exchanges: Int, requests: Int) {
        exchanges.withLock { ($0.counts.exchanges, $0.counts.callers) }
    }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let request = request
        guard !Self.isInExchange, let key = DeduplicationKey(request, context, next, ignoring: ignoredFields) else {
            return try await sendAlone(request, context, next)
        }
        guard !Task.isCancelled else { throw CancelReason.task.error }
        let caller = Exchanges.Caller()
        let entry = exchanges.withLock { $0.enter(key, caller) }
        if entry.isFirst { begin(entry.id, request, context, next) }
        switch await turn(of: caller, in: entry.id) {
        case nil: throw CancelReason.task.error
        case .response(let response): return entry.isFirst ? response.message() : response.message(joinedIn: context)
        case .failure(let error): throw error
        case .unshared(let response): return response
        case .alone: return try await next(request, context: context)
        }
    }

    /// Sends a request that shares no exchange. Its effect may make the responses of current exchanges out of date.
    private func sendAlone(
        _ request: RequestMessage,
        _ context: RequestContext,
        _ next: Next
    ) async throws -> ResponseMessage {
        guard !Self.safeMethods.contains(request.method) else { return try await next(request, context: context) }
        let origin = request.target.origin
        defer { exchanges.withLock { $0.close { $0.origin == origin } } }
        return try await next(request, context: context)
    }

    /// Waits for the end of an exchange. Returns `nil` if the request was cancelled before that.
    private func turn(of caller: Exchanges.Caller, in id: Exchanges.ID) async -> Turn? {
        let leave = { @Sendable [self] (caller: Exchanges.Caller) -> Bool in
            switch exchanges.withLock({ $0.leave(caller, id) }) {
            case .tooLate: return false
            case .left: return true
            case .leftAsLast(let work):
                work?.cancel()
                return true
            }
        }
        return await caller.wait(orWithdraw: leave)
    }

    // MARK: The exchange

    /// Starts an exchange in a task of its own, since it may outlive the request that begins it.
    private func begin(
        _ id: Exchanges.ID,
        _ request: RequestMessage,
        _ context: RequestContext,
        _ next: Next
    ) {
        let counters = context.environment.counters
        counters.add(to: .tasks)
        let work = Task { [self] in
            let ending = await Self.$isInExchange.withValue(true) { await perform(request, context, next) }
            finish(id, ending)
            counters.remove(from: .tasks)
        }
        exchanges.withLock { $0.hold(work, id) }
    }

    private func perform(_ request: RequestMessage, _ context: RequestContext, _ next: Next) async -> Ending {
        do {
            let response = try await next(request, context: context)
            // Redirects are part of the exchange only if this middleware is outside of the one that follows them.
            let record = response.record
            let isRedirected = record.target != request.target || record.cause == .redirect && next.cause != .redirect
            return try await collect(response, isRedirected ? context.redirects : [])
        } catch {
            return .failure(error)
        }
    }

    private func collect(
        _ response: ResponseMessage,
        _ redirects: [FollowedRedirect]
    ) async throws(ApusError) -> Ending {
        switch response.body.storage {
        case .empty:
            return .response(SharedResponse(response, content: BodyChunk(""), redirects: redirects))
        case .whole(let chunk):
            guard chunk.count <= limitBytes else { return .tooLong(response) }
            return .response(SharedResponse(response, content: chunk, redirects: redirects))
        case .stream(let stream):
            let declared = response.fields[.contentLength].flatMap { Int($0) } ?? 0
            guard declared <= limitBytes else { return .tooLong(response) }
            let body = HandedOnBody(stream)
            do throws(ApusError) {
                if let content = try await body.collect(upTo: limitBytes) {
                    return .response(SharedResponse(response, content: content, redirects: redirects))
                }
            } catch {
                throw error.with(response: response.head)
            }
            var unshared = response
            unshared.body = .stream(body)
            return .tooLong(unshared)
        }
    }

    private func finish(_ id: Exchanges.ID, _ ending: Ending) {
        let callers = exchanges.withLock { $0.end(id) }
        switch ending {
        case .response(let response): for caller in callers { caller.call(.response(response)) }
        case .failure(let error): for caller in callers { caller.call(.failure(error)) }
        case .tooLong(let response):
            guard let first = callers.first else { return response.discard() }
            first.call(.unshared(response))
            for caller in callers.dropFirst() { caller.call(.alone) }
        }
    }
}
