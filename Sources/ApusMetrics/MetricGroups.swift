internal import ApusCore
internal import Metrics

/// The metrics of a host.
final class HostMetrics: Sendable {
    private let sent: Counter
    private let received: Counter
    private let opened: Counter
    private let reused: Counter
    private let phases: [(phase: ExchangePhase, timer: Timer)]

    init(_ key: MetricKey, _ maker: MetricMaker) {
        let place = key.place
        sent = maker.counter("http.client.bytes.sent", place)
        received = maker.counter("http.client.bytes.received", place)
        opened = maker.counter("http.client.connections.opened", place)
        reused = maker.counter("http.client.connections.reused", place)
        phases = ExchangePhase.allCases.map { phase in
            let dimensions = place + [("http.client.phase", phase.rawValue)]
            return (phase, maker.timer("http.client.phase.duration", dimensions))
        }
    }

    func note(_ exchange: ExchangeMetrics) {
        let sentBytes = Int64(exchange.requestHeadBytes) + exchange.requestBodyBytes
        let receivedBytes = Int64(exchange.responseHeadBytes) + exchange.responseBodyBytes
        if sentBytes > 0 { sent.increment(by: sentBytes) }
        if receivedBytes > 0 { received.increment(by: receivedBytes) }
        if exchange.connectionReady != nil { (exchange.isReused ? reused : opened).increment() }
        for (phase, timer) in phases {
            if let duration = phase.duration(in: exchange) { timer.record(noLessThanZero: duration) }
        }
    }
}

/// The metrics of a method and a host.
final class RouteMetrics: Sendable {
    let begun: Counter
    let active: Meter
    private let redirects: Counter
    private let challenges: Counter
    private let hedges: Counter
    private let resends: Counter
    private let requestSize: Recorder
    private let responseSize: Recorder

    init(_ key: MetricKey, _ maker: MetricMaker) {
        let route = key.route
        begun = maker.counter("http.client.requests.begun", route)
        active = maker.meter("http.client.active_requests", route)
        redirects = maker.counter("http.client.redirects", route)
        challenges = maker.counter("http.client.challenges", route)
        hedges = maker.counter("http.client.hedges", route)
        resends = maker.counter("http.client.resends", route)
        requestSize = maker.recorder("http.client.request.body.size", route)
        responseSize = maker.recorder("http.client.response.body.size", route)
    }

    /// Records that an exchange began.
    func note(_ cause: ExchangeCause) {
        switch cause {
        case .redirect: redirects.increment()
        case .challenge: challenges.increment()
        case .hedge: hedges.increment()
        // Retries are counted when they are decided, with their error.
        case .first, .retry: break
        }
    }

    /// Records that an exchange ended.
    func note(_ exchange: ExchangeMetrics) {
        if exchange.resendCount > 0 { resends.increment(by: exchange.resendCount) }
        if exchange.requestBegin != nil { requestSize.record(exchange.requestBodyBytes) }
        if exchange.responseBegin != nil { responseSize.record(exchange.responseBodyBytes) }
    }
}

/// The metrics of an outcome.
final class ExchangeMeters: Sendable {
    private let count: Counter
    private let duration: Timer

    init(_ key: MetricKey, _ maker: MetricMaker) {
        count = maker.counter("http.client.exchanges", key.exchange)
        duration = maker.timer("http.client.request.duration", key.exchange)
    }

    func note(_ exchange: ExchangeMetrics) {
        count.increment()
        duration.record(noLessThanZero: exchange.duration())
    }
}

/// The phases of an exchange, by their names in metrics.
enum ExchangePhase: String, CaseIterable, Sendable {
    case queue, dns, connect, tls, send, wait, receive

    /// Returns the duration of the phase, `nil` if it did not take place or did not end.
    func duration(in exchange: ExchangeMetrics) -> Duration? {
        switch self {
        case .queue:
            Self.duration(exchange.begin, exchange.resolveBegin ?? exchange.connectBegin ?? exchange.connectionReady)
        case .dns: Self.duration(exchange.resolveBegin, exchange.resolveEnd)
        case .connect: Self.duration(exchange.connectBegin, exchange.connectEnd)
        case .tls: Self.duration(exchange.tlsBegin, exchange.tlsEnd)
        case .send: Self.duration(exchange.requestBegin, exchange.requestEnd)
        case .wait: Self.duration(exchange.requestEnd ?? exchange.requestBegin, exchange.responseBegin)
        case .receive: Self.duration(exchange.responseBegin, exchange.end)
        }
    }

    private static func duration(_ begin: MonotonicInstant?, _ end: MonotonicInstant?) -> Duration? {
        guard let begin, let end else { return nil }
        return begin.duration(to: end)
    }
}

extension Timer {
    /// A connection may be older than its exchange, and a response may arrive before the request's end.
    fileprivate func record(noLessThanZero duration: Duration) {
        recordNanoseconds(max(0, duration.wholeNanoseconds))
    }
}
