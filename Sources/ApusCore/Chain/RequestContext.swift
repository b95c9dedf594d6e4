internal import HTTPTypes
public import Logging
internal import Synchronization

/// Local data of a request, never sent to the server: its number, options, clock and records.
public final class RequestContext: Sendable {
    private struct Records {
        var first: ExchangeRecord?
        var others: [ExchangeRecord] = []
        /// The redirects that the current attempt has followed.
        var redirects: [FollowedRedirect] = []
        /// The redirects that the attempt's hedge has followed. They count if the hedge's response is used.
        var redirectsOfHedge: [FollowedRedirect] = []
        /// The options that were set on the request's handle after it was created.
        var overrides = RequestOptions.none
        /// Called with the number of body bytes sent so far.
        var upload: ExchangeRecord.UploadWatch?
        /// Beside the flag, so that both take one word.
        var retryCount: Int32 = 0
        /// Whether the request was sent with an `Idempotency-Key`.
        var hadIdempotencyKey = false
        /// The time limit of the request. `nil` if it has none, and no adapter that could set one.
        var limit: TimeLimit?
        /// The last message sent to the request's own target, neither for a redirect nor for a hedge.
        var sent: RequestMessage?
        /// The values of `RequestContextKey`s.
        var values: [ObjectIdentifier: any Sendable] = [:]
        /// Called with the message that is sent.
        var sendingWatches: [SendingWatch] = []
    }

    /// Called with the message that is sent, or the error if none is.
    typealias SendingWatch = @Sendable (Result<RequestMessage, ApusError>) -> Void

    /// Identifies the request in logs and events.
    public let id: RequestID
    /// The options of the call. They are set in the message when it is made.
    let options: RequestOptions

    package let environment: SessionEnvironment
    private let core: SessionCore
    /// Whether the request was made by user code that other requests wait for. Those may hold the slot that it needs.
    /// Recorded here in the caller's task, since the request may run in a task that another request started.
    package let isMadeByUserCode: Bool
    /// Whether the response body is collected in memory, and neither streamed nor written to a file.
    package let collectsBody: Bool
    /// Whether the request has a handle, which can suspend it.
    let isSuspendable: Bool
    /// Whether the sent message is kept for later callers of `watchSending`.
    private let keepsSent: Bool
    /// `nil` if the session has no monitors.
    private let sessionSink: RequestEventSink?
    /// Set once, when the request gets its first monitor and the session has none. Read without a lock by each event.
    private let ownSink = OnceReference<RequestEventSink>()
    private let records = Lock(Records())

    private static let counter = Atomic<UInt64>(0)

    package init(
        core: SessionCore,
        environment: SessionEnvironment? = nil,
        options: RequestOptions = .none,
        keepsSent: Bool = false,
        collectsBody: Bool = true,
        isSuspendable: Bool = false
    ) {
        let number = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
        let id = RequestID(number: number)
        self.id = id
        let environment = environment ?? core.environment
        var options = options
        environment.ends?.prepare(&options)
        self.options = options
        self.environment = environment
        self.core = core
        self.keepsSent = keepsSent
        self.collectsBody = collectsBody
        self.isSuspendable = isSuspendable
        self.isMadeByUserCode = RequestLimiter.isInUserCode
        self.sessionSink = environment.dispatcher.map { dispatcher in
            RequestEventSink(request: id, label: options[RequestLabel.self]?.name, dispatcher: dispatcher)
        }
        guard !options.isEmpty, let own = options[RequestLogger.self] else { return }
        if let monitor = SessionLogMonitor(own.logger) { add(monitor, to: nil) }
    }

    /// Sends events to the monitors. `nil` if neither the session nor the request has any.
    var eventSink: RequestEventSink? { sessionSink ?? ownSink.load() }

    private func makeOwnSink() -> RequestEventSink {
        let label = options[RequestLabel.self]?.name
        return ownSink.storeIfNil(RequestEventSink(request: id, label: label, dispatcher: EventDispatcher([])))
    }

    /// Adds a monitor of this request alone. It gets the events from now on until the request is finished, after the
    /// monitors of the session. An exchange that is already active is not reported to it, if the session has none.
    ///
    /// - Parameters:
    ///   - monitor: The monitor.
    ///   - message: The message of the request, if it was built.
    func add(_ monitor: any EventMonitor, to message: RequestMessage?) {
        let eventSink = eventSink ?? makeOwnSink()
        if let message = message ?? sent { eventSink.note(message) }
        eventSink.add(monitor)
    }

    /// The session of the request, for requests that an adapter, a retrier or a middleware sends itself.
    ///
    /// It shares the connections, the limits and the interceptors of the session, but does not keep it alive. Once the
    /// session that the program holds is released, handles and new requests end with `sessionGone`. A direct call whose
    /// exchange is cut off ends with `sessionShutDown`.
    public var session: Session { Session(sharing: core) }

    /// The clock of the session.
    public var time: any SessionClock { environment.configuration.time }

    /// The current time of that clock.
    package var now: MonotonicInstant { environment.time.now }

    /// A logger with the request's `id` in its metadata.
    public var logger: Logger {
        var logger = options[RequestLogger.self]?.logger ?? environment.configuration.logger
        logger[metadataKey: "apus-request-id"] = "\(id)"
        return logger
    }

    /// The number of retries that a retrier has decided on.
    public var retryCount: Int { records.withLock { Int($0.retryCount) } }

    func noteRetry() {
        records.withLock { $0.retryCount += 1 }
    }

    /// Reads or changes the values of `RequestContextKey`s.
    func withValues<Result: Sendable>(_ work: (inout [ObjectIdentifier: any Sendable]) -> Result) -> Result {
        records.withLock { work(&$0.values) }
    }

    /// Reads or changes the time limit of the request.
    func withLimit<Result>(_ work: (inout TimeLimit?) -> sending Result) -> sending Result {
        records.withLock { work(&$0.limit) }
    }

    /// Takes a retry from the session's budget. Returns `false` if the budget is used up.
    func takeRetry() -> Bool {
        environment.retryLedger?.takeRetry(at: now) ?? true
    }

    /// Whether the request was sent with an `Idempotency-Key`, even one that a middleware has added.
    var hadIdempotencyKey: Bool { records.withLock { $0.hadIdempotencyKey } }

    /// Returns the option of one kind that was set on the request's handle.
    func override<Option: RequestOption>(_ kind: Option.Type) -> Option? {
        records.withLock { $0.overrides[kind] }
    }

    /// Sets an option that overrides the one given at creation.
    func override<Option: RequestOption>(_ option: Option) {
        // The replaced options may hold the last reference to user objects. Release them outside the lock.
        let replaced = records.withLock { records in
            defer { records.overrides[Option.self] = option }
            return records.overrides
        }
        withExtendedLifetime(replaced) {}
    }

    /// Returns the options that affect the exchanges of a request, as a value to compare, also those that were set on
    /// its handle later. `nil` if one of them can't be compared.
    package func comparableOptions(of request: borrowing RequestMessage) -> ComparableOptions? {
        let overrides = records.withLock { $0.overrides }
        guard let given = request.options.comparable, let later = overrides.comparable else { return nil }
        return given.union(later)
    }

    /// The measurements so far.
    public var metrics: RequestMetrics {
        records.withLock { records in
            RequestMetrics(
                first: records.first,
                others: records.others,
                redirects: records.redirects,
                clock: environment.time
            )
        }
    }

    /// The redirects followed so far, in order. If the request was retried, those of the last attempt.
    public var redirects: [FollowedRedirect] { records.withLock { $0.redirects } }

    package func note(_ redirects: [FollowedRedirect], inHedge: Bool) {
        records.withLock { records in
            if inHedge { records.redirectsOfHedge = redirects } else { records.redirects = redirects }
        }
    }

    /// Makes the hedge's redirects those of the request. Called when a hedge has won and both exchanges are over.
    package func creditHedge() {
        records.withLock { $0.redirects = $0.redirectsOfHedge }
    }

    /// The number of exchanges so far.
    package var exchangeCount: Int {
        records.withLock { $0.first == nil ? 0 : $0.others.count + 1 }
    }

    /// Returns the exchanges until `error` ended the request. An exchange that is still open ends now, with that error.
    func exchanges(endedBy error: ApusError) -> ExchangeHistory {
        let metrics = metrics
        let exchanges = metrics.exchanges.map { exchange in
            guard exchange.end == nil else { return exchange }
            var exchange = exchange
            exchange.end = now
            exchange.error = error
            return exchange
        }
        return ExchangeHistory(exchanges: exchanges, redirects: metrics.redirects)
    }

    /// Returns the error that ends a request, with its method, its URL and its exchanges.
    func described(_ error: ApusError, of request: RequestMessage) -> ApusError {
        error.about(method: request.method, target: request.target).with(exchanges: exchanges(endedBy: error))
    }

    func openRecord(for request: borrowing RequestMessage, cause: ExchangeCause) -> ExchangeRecord {
        let record = ExchangeRecord(
            method: request.method,
            target: request.target,
            cause: cause,
            begin: now,
            listener: eventSink,
            contentLength: request.body.length
        )
        let hasIdempotencyKey = !request.method.isIdempotent && request.fields.contains(.idempotencyKey)
        let keeps = keepsSent && cause.isInitialExchange
        let (upload, watches) = records.withLock { records -> (ExchangeRecord.UploadWatch?, [SendingWatch]) in
            if hasIdempotencyKey { records.hadIdempotencyKey = true }
            if records.first == nil { records.first = record } else { records.others.append(record) }
            // A new attempt has followed no redirects yet.
            if cause == .first || cause == .retry, !records.redirects.isEmpty { records.redirects = [] }
            if cause == .hedge, !records.redirectsOfHedge.isEmpty { records.redirectsOfHedge = [] }
            // After a redirect, a challenge may come from another origin.
            guard keeps, records.redirects.isEmpty else { return (records.upload, []) }
            records.sent = copy request
            defer { records.sendingWatches = [] }
            return (records.upload, records.sendingWatches)
        }
        if let upload { record.watchUpload(upload) }
        for watch in watches { watch(.success(copy request)) }
        if let eventSink { eventSink.post(.exchangeBegan(copy request, cause: cause)) }
        return record
    }

    /// Calls `watch` with the upload progress of the current exchange and of those that follow.
    func watchUpload(_ watch: @escaping ExchangeRecord.UploadWatch) {
        let current = records.withLock { records in
            records.upload = watch
            return records.others.last ?? records.first
        }
        current?.watchUpload(watch)
    }

    /// The bytes of the request body that were sent so far, and their total: those of the last exchange with a body.
    var uploaded: (Int64, Int64?) {
        let (first, others) = records.withLock { ($0.first, $0.others) }
        let record = others.last(where: \.hasContent) ?? first
        return record?.uploaded ?? (0, nil)
    }

    /// The last message sent to the request's own target, if it is kept.
    var sent: RequestMessage? { records.withLock { $0.sent } }

    /// Calls `watch` with the message sent to the request's target: now if it was already sent, else when it is.
    func watchSending(_ watch: @escaping SendingWatch) {
        let sent = records.withLock { records in
            if records.sent == nil { records.sendingWatches.append(watch) }
            return records.sent
        }
        if let sent { watch(.success(sent)) }
    }

    /// Records the end of the request: stops its time limit, and calls those still waiting for a message to be sent
    /// with `outcome` instead.
    func end(_ outcome: @autoclosure () -> Result<RequestMessage, ApusError>) {
        let (watches, isTimed) = records.withLock { records in
            defer { records.sendingWatches = [] }
            return (records.sendingWatches, records.limit?.action != nil)
        }
        if isTimed { endLimit() }
        guard !watches.isEmpty else { return }
        let outcome = outcome()
        for watch in watches { watch(outcome) }
    }

    /// Posts an event, and the one that happened together with it, if any.
    package func post(_ event: @autoclosure () -> RequestEvent, then follower: RequestEvent.Follower? = nil) {
        eventSink?.post(event(), then: follower)
    }

    /// Returns the summary of a result for monitors, with the beginning of its body that they ask for. `duration` and
    /// `failure` are the running time and the error of a serializer.
    func summary(
        of raw: RawResponse,
        serializedIn duration: Duration? = nil,
        failure: ApusError? = nil
    ) -> ResponseSummary {
        let limit = eventSink?.bodyPrefixBytes ?? 0
        return ResponseSummary(of: raw, upTo: limit, serializedIn: duration, failure: failure)
    }

    /// Returns the summary of the response of a direct call.
    func summary(of response: Response) -> ResponseSummary {
        ResponseSummary(of: response, upTo: eventSink?.bodyPrefixBytes ?? 0)
    }
}

extension ExchangeCause {
    /// Whether the exchange sends the request itself, not a copy of it, to its own target.
    fileprivate var isInitialExchange: Bool {
        switch self {
        case .first, .retry, .challenge, .restart: true
        case .redirect, .hedge, .segment: false
        }
    }
}

/// The state shared by all requests of a session.
package final class SessionEnvironment: Sendable {
    package let configuration: SessionConfiguration
    package let counters: LiveCounters
    /// Limits the number of requests in flight and queues the rest.
    let limiter: RequestLimiter
    /// The clock of the session.
    package let time: AnySessionClock
    /// Notifies the session's monitors, and the log if its level shows anything. `nil` if there are none.
    let dispatcher: EventDispatcher?
    /// The base URL of the session, or the error that it is invalid.
    let baseURL: Result<TargetURI, ApusError>?
    /// The middleware at both ends of the chain, if any.
    let ends: TracingMiddleware?
    /// The retry budget, if retries are limited.
    let retryLedger: RetryLedger?
    /// The credentials that Digest has proved in this session.
    package let credentialProofs: CredentialProofs

    package init(configuration: SessionConfiguration, counters: LiveCounters = LiveCounters()) {
        self.configuration = configuration
        self.counters = counters
        self.limiter = RequestLimiter(limit: configuration.requestsInFlight)
        self.time = AnySessionClock(configuration.time)
        self.retryLedger = configuration.retryBudget.map { RetryLedger($0) }
        let log = SessionLogMonitor(configuration.logger)
        let monitors = configuration.eventMonitors + (log.map { [$0] } ?? [])
        let dispatcher = EventDispatcher(monitors)
        self.dispatcher = dispatcher.monitors.isEmpty ? nil : dispatcher
        self.baseURL = configuration.baseURL.map { url in
            Result { try url.asTarget().asBase }.mapError { ApusError(wrapping: $0, as: .invalidURL) }
        }
        self.ends = configuration.options[TracingMiddleware.self]
        self.credentialProofs = configuration.options[CredentialProofs.self] ?? CredentialProofs()
    }
}
