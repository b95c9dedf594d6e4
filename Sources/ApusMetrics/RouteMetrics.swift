internal import ApusCore
internal import Metrics

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
        case .first, .retry, .restart, .segment: break
        }
    }

    /// Records that an exchange ended.
    func note(_ exchange: ExchangeMetrics) {
        if exchange.resendCount > 0 { resends.increment(by: exchange.resendCount) }
        if exchange.requestBegin != nil { requestSize.record(exchange.requestBodyBytes) }
        if exchange.responseBegin != nil { responseSize.record(exchange.responseBodyBytes) }
    }
}
