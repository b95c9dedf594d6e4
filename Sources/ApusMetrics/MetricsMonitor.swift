public import ApusCore
public import Dispatch
public import Metrics

/// Measures what the requests of a session do, with swift-metrics, under OpenTelemetry's names where it has any.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.eventMonitors.append(MetricsMonitor())
/// let session = Session(configuration: configuration)
/// ```
///
/// | metric | kind | dimensions beside `server.address` |
/// |---|---|---|
/// | `http.client.request.duration` | timer, an exchange each | method, status, error |
/// | `http.client.exchanges` | counter | method, status, error |
/// | `http.client.request.body.size`, `http.client.response.body.size` | recorders, in bytes | method |
/// | `http.client.bytes.sent`, `http.client.bytes.received` | counters, heads and contents above TLS | |
/// | `http.client.phase.duration` | timer | `http.client.phase`: queue, dns, connect, tls, send, wait, receive |
/// | `http.client.connections.opened`, `http.client.connections.reused` | counters, an exchange each | |
/// | `http.client.active_requests` | meter | method |
/// | `http.client.requests.begun` | counter | method |
/// | `http.client.requests.ended`, `http.client.retries` | counters | method, error |
/// | `http.client.redirects`, `http.client.challenges`, `http.client.hedges`, `http.client.resends` | counters | method |
///
/// A request is what the program asked for, an exchange what went over the wire for it: one request may take several.
/// The method is `http.request.method`, `_OTHER` where it is none that OpenTelemetry knows. The status is
/// `http.response.status_code`, as a class: `2xx`. The error is `error.type`, the name of an `ApusError.Code`; a status
/// alone is no error. A dimension that does not apply is there and empty, since many backends want a metric to have the same
/// dimensions always.
///
/// However many hosts there are, there is an end to the metrics: each set of dimensions is made once, and what comes
/// after the first hosts is counted under the host `other`.
public final class MetricsMonitor: EventMonitor {
    public let queue = DispatchQueue(label: "apus.metrics", qos: .utility)

    /// A request that has begun and not ended.
    private struct Flight {
        let key: MetricKey
        var error = ""
    }

    public let latency: Duration
    private let hostNames: HostNames
    private let hosts: MetricShelf<HostMetrics>
    private let routes: MetricShelf<RouteMetrics>
    private let exchanges: MetricShelf<ExchangeMetrics>
    private let ended: MetricShelf<Counter>
    private let retries: MetricShelf<Counter>
    private let flights = Lock<[RequestID: Flight]>([:])

    /// Makes a monitor; one can serve several sessions.
    ///
    /// - Parameters:
    ///   - prefix: What stands ahead of each metric's name; nothing by default.
    ///   - hostLimit: How many hosts are told apart, the first that come; 100 by default, 0 for none.
    ///   - factory: Who makes the metrics; by default what `MetricsSystem` has when the monitor is made, so that it has to be
    ///     bootstrapped before.
    ///   - latency: How long events may gather before they are counted; 1 ms by default.
    public init(
        prefix: String = "",
        hostLimit: Int = 100,
        factory: any MetricsFactory = MetricsSystem.factory,
        latency: Duration = .milliseconds(1)
    ) {
        self.latency = latency
        let maker = MetricMaker(prefix: prefix, factory: factory)
        self.hostNames = HostNames(limit: hostLimit)
        self.hosts = MetricShelf { HostMetrics($0, maker) }
        self.routes = MetricShelf { RouteMetrics($0, maker) }
        self.exchanges = MetricShelf { ExchangeMetrics($0, maker) }
        self.ended = MetricShelf { maker.counter("http.client.requests.ended", $0.outcome) }
        self.retries = MetricShelf { maker.counter("http.client.retries", $0.outcome) }
    }

    public func request(_ request: RequestID, did event: RequestEvent) {
        switch event {
        case .created(let message): begin(request, message)
        case .creationFailed(let error): noteNoRequest(request, error)
        case .exchangeBegan(let method, let target, let cause):
            routes[MetricKey(host: hostNames[target.origin.host], method: method)].note(cause)
        case .exchangeEnded(let record): note(record.metrics)
        case .retrying(_, let error): noteRetry(of: request, dueTo: error)
        case .completed(let error): flights.withLock { $0[request]?.error = error?.code.name ?? "" }
        case .serialized(_, let error): noteSerialization(of: request, error)
        case .finished: end(request)
        case .resumed, .suspended, .cancelled, .adapted, .adaptationFailed, .contentSent, .informational, .redirected,
            .challenged, .responded, .validated, .destinationChosen, .contentReceived, .downloaded,
            .waitingForConnectivity:
            break
        }
    }

    private func begin(_ request: RequestID, _ message: RequestMessage) {
        let key = MetricKey(host: hostNames[message.target.origin.host], method: message.method)
        let isFirst = flights.withLock { flights in
            guard flights[request] == nil else { return false }
            flights[request] = Flight(key: key)
            return true
        }
        guard isFirst else { return }
        let metrics = routes[key]
        metrics.begun.increment()
        metrics.active.increment()
    }

    /// It has neither a host nor a method; but one that is made again for a retry has, and is counted at its end.
    private func noteNoRequest(_ request: RequestID, _ error: ApusError) {
        guard flights.withLock({ $0[request] == nil }) else { return }
        ended[MetricKey(error: error.code.name)].increment()
    }

    /// What is serialized after the end of a request changes nothing.
    private func end(_ request: RequestID) {
        guard let flight = flights.withLock({ $0.removeValue(forKey: request) }) else { return }
        routes[flight.key].active.decrement()
        ended[flight.key.with(error: flight.error)].increment()
    }

    private func noteRetry(of request: RequestID, dueTo error: ApusError?) {
        let key = flights.withLock { $0[request]?.key } ?? MetricKey()
        retries[key.with(error: error?.code.name ?? "")].increment()
    }

    /// An error of the wire is handed on by the serializers; one of theirs counts where there is no other.
    private func noteSerialization(of request: RequestID, _ error: ApusError?) {
        guard let error else { return }
        flights.withLock { flights in
            if flights[request]?.error == "" { flights[request]?.error = error.code.name }
        }
    }

    private func note(_ hop: HopMetrics) {
        let key = MetricKey(host: hostNames[hop.target.origin.host], method: hop.method)
        hosts[MetricKey(host: key.host)].note(hop)
        routes[key].note(hop)
        exchanges[key.with(status: hop.status, error: hop.error?.code.name ?? "")].note(hop)
    }
}
