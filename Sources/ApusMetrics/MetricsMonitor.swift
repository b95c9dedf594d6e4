public import ApusCore
public import Dispatch
public import Metrics

/// Records metrics of a session's requests with swift-metrics, under OpenTelemetry's names where it has any.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.eventMonitors.append(MetricsMonitor())
/// let session = Session(configuration: configuration)
/// ```
///
/// | metric | kind | dimensions besides `server.address` |
/// |---|---|---|
/// | `http.client.request.duration` | timer, per exchange | method, status, error |
/// | `http.client.exchanges` | counter | method, status, error |
/// | `http.client.request.body.size`, `http.client.response.body.size` | recorders, in bytes | method |
/// | `http.client.bytes.sent`, `http.client.bytes.received` | counters, heads and bodies before encryption | |
/// | `http.client.phase.duration` | timer | `http.client.phase`: queue, dns, connect, tls, send, wait, receive |
/// | `http.client.connections.opened`, `http.client.connections.reused` | counters, per exchange | |
/// | `http.client.active_requests` | meter | method |
/// | `http.client.requests.begun` | counter | method |
/// | `http.client.requests.ended`, `http.client.retries` | counters | method, error |
/// | `http.client.redirects`, `http.client.challenges` | counters | method |
/// | `http.client.hedges`, `http.client.resends` | counters | method |
///
/// A request may take several exchanges. The method is `http.request.method`, with `_OTHER` for methods unknown to
/// OpenTelemetry. The status is `http.response.status_code`, as a class: `2xx`. The error is `error.type`, the name of
/// an `ApusError.Code`. A status alone is not an error. Dimensions that do not apply are present but empty, because
/// many backends require a metric to always have the same dimensions.
///
/// The number of metrics is limited. Each set of dimensions is created once, and hosts beyond the limit are counted
/// under the host `other`.
public final class MetricsMonitor: EventMonitor {
    public let queue = DispatchQueue(label: "apus.metrics", qos: .utility)

    /// A request that has begun and not ended.
    private struct Flight {
        /// `nil` as long as the request could not be built.
        var key: MetricKey?
        var error = ""
    }

    public let latency: Duration
    private let hostNames: HostNames
    private let hosts: MetricCache<HostMetrics>
    private let routes: MetricCache<RouteMetrics>
    private let exchanges: MetricCache<ExchangeMeters>
    private let ended: MetricCache<Counter>
    private let retries: MetricCache<Counter>
    private let flights = Lock<[RequestID: Flight]>([:])

    /// Creates a monitor, for one or several sessions.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of each metric's name. Default: none.
    ///   - hostLimit: The number of hosts that get metrics of their own: the first ones. 0 means none. Default: 100.
    ///   - factory: The factory that creates the metrics. Default: that of `MetricsSystem`, which has to be
    ///     bootstrapped before the monitor is created.
    ///   - latency: The maximum time that events are collected before they are counted. Default: 1 ms.
    public init(
        prefix: String = "",
        hostLimit: Int = 100,
        factory: any MetricsFactory = MetricsSystem.factory,
        latency: Duration = .milliseconds(1)
    ) {
        self.latency = latency
        let maker = MetricMaker(prefix: prefix, factory: factory)
        self.hostNames = HostNames(limit: hostLimit)
        self.hosts = MetricCache { HostMetrics($0, maker) }
        self.routes = MetricCache { RouteMetrics($0, maker) }
        self.exchanges = MetricCache { ExchangeMeters($0, maker) }
        self.ended = MetricCache { maker.counter("http.client.requests.ended", $0.outcome) }
        self.retries = MetricCache { maker.counter("http.client.retries", $0.outcome) }
    }

    /// 0, since the metrics need no bytes of a body.
    public var bodyPrefixBytes: Int { 0 }

    public func request(_ request: RequestSummary, did event: RequestEvent) {
        let id = request.id
        switch event {
        case .created(let message): begin(id, message)
        case .creationFailed: flights.withLock { if $0[id] == nil { $0[id] = Flight() } }
        case .exchangeBegan(let message, let cause):
            routes[MetricKey(host: hostNames[message.target.origin.host], method: message.method)].note(cause)
        case .exchangeEnded(let record): note(record.metrics)
        case .retrying(_, let error): noteRetry(of: id, dueTo: error)
        case .completed(let response): complete(id, response.error?.code.name ?? "")
        case .serialized(let response): noteSerialization(of: id, response.error)
        case .finished: end(id)
        case .resumed, .suspended, .cancelled, .adapted, .adaptationFailed, .contentSent, .informational, .redirected,
            .challenged, .responded, .validated, .destinationChosen, .contentReceived, .downloaded,
            .waitingForConnectivity:
            break
        }
    }

    private func begin(_ request: RequestID, _ message: RequestMessage) {
        let key = MetricKey(host: hostNames[message.target.origin.host], method: message.method)
        let isFirst = flights.withLock { flights in
            guard flights[request]?.key == nil else { return false }
            flights[request] = Flight(key: key)
            return true
        }
        guard isFirst else { return }
        let metrics = routes[key]
        metrics.begun.increment()
        metrics.active.increment()
    }

    /// Counts a request that was never built, without a host and method. Others are counted at their end.
    private func complete(_ request: RequestID, _ error: String) {
        let wasBuilt = flights.withLock { flights in
            guard let flight = flights[request] else { return true }
            flights[request]?.error = error
            if flight.key == nil { flights[request] = nil }
            return flight.key != nil
        }
        if !wasBuilt { ended[MetricKey(error: error)].increment() }
    }

    /// Serializers that run after the end of a request change nothing.
    private func end(_ request: RequestID) {
        guard let flight = flights.withLock({ $0.removeValue(forKey: request) }), let key = flight.key else { return }
        routes[key].active.decrement()
        ended[key.with(error: flight.error)].increment()
    }

    private func noteRetry(of request: RequestID, dueTo error: ApusError?) {
        let key = flights.withLock { $0[request]?.key } ?? MetricKey()
        retries[key.with(error: error?.code.name ?? "")].increment()
    }

    /// Serializers pass on an error of the network part, so their own error counts only if there is no other.
    private func noteSerialization(of request: RequestID, _ error: ApusError?) {
        guard let error else { return }
        flights.withLock { flights in
            if flights[request]?.error == "" { flights[request]?.error = error.code.name }
        }
    }

    private func note(_ exchange: ExchangeMetrics) {
        let key = MetricKey(host: hostNames[exchange.target.origin.host], method: exchange.method)
        hosts[MetricKey(host: key.host)].note(exchange)
        routes[key].note(exchange)
        exchanges[key.with(status: exchange.status, error: exchange.error?.code.name ?? "")].note(exchange)
    }
}
