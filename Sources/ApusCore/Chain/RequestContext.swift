public import Logging
internal import Synchronization

/// What belongs to a request but is not sent: its number, its options, its clock, its records.
public final class RequestContext: Sendable {
    private struct Records {
        var first: ExchangeRecord?
        var others: [ExchangeRecord] = []
        /// The redirects that the attempt has followed.
        var redirects: [FollowedRedirect] = []
        /// Those that its hedge has followed, which counts where its answer does.
        var redirectsOfHedge: [FollowedRedirect] = []
        /// What the request's handle was told after it was made.
        var told = RequestOptions.none
        /// Told how much of the request's content was sent.
        var upload: ExchangeRecord.UploadWatch?
        var retryCount = 0
        /// When the request ends at the latest.
        var deadline: MonotonicInstant?
        /// The last message that was sent to the target of the request: neither a redirect's nor a hedge's.
        var sent: RequestMessage?
        /// Told what is sent.
        var sendingWatches: [SendingWatch] = []
    }

    /// Told what is sent, or why nothing is.
    typealias SendingWatch = @Sendable (Result<RequestMessage, ApusError>) -> Void

    /// Tells the request apart in logs and events.
    public let id: RequestID
    /// What this request sets otherwise than its session.
    public let options: RequestOptions

    package let environment: SessionEnvironment
    /// Whether code of the user's asks for it that requests wait for: they may hold what it would have to wait for. It is
    /// taken down here, in the task of who asks: the one that it runs in may have been begun by somebody else.
    package let isAskedForByUserCode: Bool
    let outbox: Outbox?
    /// Whether what is sent is kept for who asks later.
    private let keepsSent: Bool
    private let records = Lock(Records())

    private static let counter = Atomic<UInt64>(0)

    package init(environment: SessionEnvironment, options: RequestOptions = .none, keepsSent: Bool = false) {
        let number = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
        let id = RequestID(number: number)
        self.id = id
        var options = options
        environment.ends?.prepare(&options)
        self.options = options
        self.environment = environment
        self.keepsSent = keepsSent
        self.isAskedForByUserCode = Roster.isAskedByUserCode
        self.outbox = environment.pump.map { Outbox(request: id, pump: $0) }
    }

    /// The clock of the session.
    public var time: any RequestTime { environment.time }

    /// A logger whose metadata names the request.
    public var logger: Logger {
        var logger = environment.configuration.logger
        logger[metadataKey: "apus-request-id"] = "\(id)"
        return logger
    }

    /// What this request sets otherwise than its session, of one kind.
    public subscript<Option: RequestOption>(kind: Option.Type) -> Option? { options[kind] }

    /// How often the request has gone again because a retrier said so.
    public var retryCount: Int { records.withLock { $0.retryCount } }

    func noteRetry() {
        records.withLock { $0.retryCount += 1 }
    }

    /// Keeps when the request ends at the latest.
    func note(deadline: MonotonicInstant) {
        records.withLock { $0.deadline = deadline }
    }

    /// Whether the deadline of the request is after a delay.
    func hasTime(for delay: Duration) -> Bool {
        guard let deadline = records.withLock({ $0.deadline }) else { return true }
        return time.now.advanced(by: delay) < deadline
    }

    /// Takes a retry out of the session's budget; `false` where there is none.
    func takeRetry() -> Bool {
        environment.retryLedger?.takeRetry(at: time.now) ?? true
    }

    /// Of one kind: what the request's handle was told last, else what the request was given.
    func latest<Option: RequestOption>(_ kind: Option.Type) -> Option? {
        records.withLock { $0.told[kind] } ?? options[kind]
    }

    /// Sets an option in place of what the request was given.
    func tell<Option: RequestOption>(_ option: Option) {
        // What was told before may be the last to hold somebody's objects: it goes away outside of the lock.
        let replaced = records.withLock { records in
            defer { records.told[Option.self] = option }
            return records.told
        }
        withExtendedLifetime(replaced) {}
    }

    /// What has been measured so far.
    public var metrics: RequestMetrics {
        records.withLock { records in
            RequestMetrics(first: records.first, others: records.others, redirects: records.redirects, time: time)
        }
    }

    /// The redirects that were followed so far, in their order; where the request was retried, by its last attempt.
    public var history: [FollowedRedirect] { records.withLock { $0.redirects } }

    func note(_ history: [FollowedRedirect], inHedge: Bool) {
        records.withLock { records in
            if inHedge { records.redirectsOfHedge = history } else { records.redirects = history }
        }
    }

    /// A hedge has won, and both exchanges are over: the redirects that it followed are the request's.
    package func creditHedge() {
        records.withLock { $0.redirects = $0.redirectsOfHedge }
    }

    /// How many exchanges have begun so far.
    package var exchangeCount: Int {
        records.withLock { $0.first == nil ? 0 : $0.others.count + 1 }
    }

    /// The exchanges until `error` ended the request: one that has not noticed yet ends now, by that error.
    func hops(endedBy error: ApusError) -> RequestCourse {
        let metrics = metrics
        let hops = metrics.hops.map { hop in
            guard hop.end == nil else { return hop }
            var hop = hop
            hop.end = time.now
            hop.error = error
            return hop
        }
        return RequestCourse(hops: hops, redirects: metrics.redirects)
    }

    func openRecord(for request: borrowing RequestMessage, cause: HopCause) -> ExchangeRecord {
        let record = ExchangeRecord(
            method: request.method,
            target: request.target,
            cause: cause,
            begin: time.now,
            listener: outbox,
            contentLength: request.body.length
        )
        let sent = keepsSent && cause.isOfWhatWasAskedFor ? copy request : nil
        let (upload, watches) = records.withLock { records -> (ExchangeRecord.UploadWatch?, [SendingWatch]) in
            if records.first == nil { records.first = record } else { records.others.append(record) }
            // An attempt that begins was led nowhere yet.
            if cause == .first || cause == .retry, !records.redirects.isEmpty { records.redirects = [] }
            if cause == .hedge, !records.redirectsOfHedge.isEmpty { records.redirectsOfHedge = [] }
            // A challenge behind a redirect is another origin's.
            guard let sent, records.redirects.isEmpty else { return (records.upload, []) }
            records.sent = sent
            defer { records.sendingWatches = [] }
            return (records.upload, records.sendingWatches)
        }
        if let upload { record.watchUpload(upload) }
        if let sent { for watch in watches { watch(.success(sent)) } }
        outbox?.post(.exchangeBegan(method: record.method, target: record.target, cause: cause))
        return record
    }

    /// Has the exchange that goes on, and those that follow, tell how much of the request's content was sent.
    func watchUpload(_ watch: @escaping ExchangeRecord.UploadWatch) {
        let current = records.withLock { records in
            records.upload = watch
            return records.others.last ?? records.first
        }
        current?.watchUpload(watch)
    }

    /// Has `watch` told what is sent to where the request is for: now, where it was, or once it is.
    func watchSending(_ watch: @escaping SendingWatch) {
        let sent = records.withLock { records in
            if records.sent == nil { records.sendingWatches.append(watch) }
            return records.sent
        }
        if let sent { watch(.success(sent)) }
    }

    /// Tells who still waits for something to be sent what there is instead.
    func endSending(_ outcome: @autoclosure () -> Result<RequestMessage, ApusError>) {
        let watches = records.withLock { records in
            defer { records.sendingWatches = [] }
            return records.sendingWatches
        }
        guard !watches.isEmpty else { return }
        let outcome = outcome()
        for watch in watches { watch(outcome) }
    }

    /// Tells what happened.
    package func post(_ event: @autoclosure () -> RequestEvent) { outbox?.post(event()) }

    /// Tells two things that happened together.
    package func post(_ event: @autoclosure () -> RequestEvent, _ next: @autoclosure () -> RequestEvent) {
        outbox?.post(event(), next())
    }
}

extension HopCause {
    /// Whether the exchange is for what was asked for, by the request itself and not by a copy of it.
    fileprivate var isOfWhatWasAskedFor: Bool {
        switch self {
        case .first, .retry, .challenge: true
        case .redirect, .hedge, .resend: false
        }
    }
}

/// What all requests of a session share.
package final class SessionEnvironment: Sendable {
    package let configuration: SessionConfiguration
    package let counters: LiveCounters
    /// Who is on the way, and who waits to be.
    let roster: Roster
    /// Kept unboxed beside the configuration: it is asked several times a request.
    let time: any RequestTime
    /// Tells the session's monitors, and the log where it would show anything; `nil` where there is nobody to tell.
    let pump: EventPump?
    /// What stands at both ends of the chain, where anything does.
    let ends: ChainEnds?
    /// What may go again, where that is limited.
    let retryLedger: RetryLedger?
    /// The credentials that Digest has proved in this session.
    package let credentialProofs = CredentialProofs()

    package init(configuration: SessionConfiguration, counters: LiveCounters = LiveCounters()) {
        self.configuration = configuration
        self.counters = counters
        self.roster = Roster(limit: configuration.requestsInFlight)
        self.time = configuration.time
        self.retryLedger = configuration.retryBudget.map { RetryLedger($0) }
        let log = LogMonitor(configuration.logger)
        let monitors = configuration.eventMonitors + (log.map { [$0] } ?? [])
        let pump = EventPump(monitors)
        self.pump = pump.monitors.isEmpty ? nil : pump
        self.ends = configuration.options[ChainEnds.self]
    }
}
