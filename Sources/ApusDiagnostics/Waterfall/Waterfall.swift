public import ApusCore
internal import HTTPTypes

/// A chart of requests over time: a row for each exchange, a bar for each phase, and one time axis.
///
/// ```swift
/// let first = try await session.get("https://example.org/")
/// let second = try await session.get("https://example.org/style.css")
/// print(Waterfall([first.metrics, second.metrics]).text(columns: 80))
/// ```
///
/// It shows no secrets: the values of queries are left out. Control characters from any source are shown as `�`.
public struct Waterfall: Sendable {
    /// How to draw the time in which no exchange was active.
    public enum IdleTime: Sendable, Hashable {
        /// As a gap in the chart.
        case shown
        /// Not at all: the axis counts only the time in which an exchange was active.
        case cut
    }

    let rows: [Row]
    /// The length of the axis.
    let duration: Duration
    /// The time that was cut from the axis.
    let idleTime: Duration
    let requestCount: Int

    /// Draws requests.
    ///
    /// - Parameters:
    ///   - metrics: The metrics of each request. Its exchanges are drawn below each other.
    ///   - names: A label for each request, in the same order. Default: none.
    ///   - idleTime: How to draw the time in which no exchange was active. Default: `.shown`.
    ///   - now: The end of the bars of exchanges that are still active.
    public init(
        _ metrics: [RequestMetrics],
        names: [String] = [],
        idleTime: IdleTime = .shown,
        now: MonotonicInstant = .now
    ) {
        self.init(exchanges: metrics.map(\.exchanges), names: names, idleTime: idleTime, now: now)
    }

    /// Draws requests from their exchanges alone, for example those of an `ApusError`.
    ///
    /// - Parameters:
    ///   - requests: The exchanges of each request.
    ///   - names: A label for each request, in the same order. Default: none.
    ///   - idleTime: How to draw the time in which no exchange was active. Default: `.shown`.
    ///   - now: The end of the bars of exchanges that are still active.
    public init(
        exchanges requests: [[ExchangeMetrics]],
        names: [String] = [],
        idleTime: IdleTime = .shown,
        now: MonotonicInstant = .now
    ) {
        let axis = WaterfallAxis(requests.joined().map { (begin: $0.begin, end: $0.end ?? now) }, idleTime: idleTime)
        self.rows = requests.enumerated().flatMap { index, exchanges in
            let name = index < names.count ? WaterfallLabel.clean(names[index]) : ""
            return exchanges.enumerated().map { position, exchange in
                Row(exchange, name: position == 0 ? name : "", axis: axis, now: now)
            }
        }
        self.duration = axis.duration
        self.idleTime = axis.idleTime
        self.requestCount = requests.count { !$0.isEmpty }
    }

    /// A summary: the number of requests and exchanges, and the duration.
    var summary: String {
        let requests = requestCount == 1 ? "1 request" : "\(requestCount) requests"
        let exchanges = rows.count == requestCount ? "" : ", \(rows.count) exchanges"
        let cut = idleTime > .zero ? "; \(WaterfallScale.label(idleTime)) of idle time left out" : ""
        return "\(requests)\(exchanges) in \(WaterfallScale.label(duration))\(cut)"
    }
}

extension Waterfall {
    /// One exchange.
    struct Row: Sendable {
        /// The result of the exchange.
        enum Outcome: Sendable, Hashable {
            case status(Int)
            case failed
            case running

            init(_ exchange: ExchangeMetrics) {
                guard exchange.end != nil else {
                    self = .running
                    return
                }
                let status = exchange.error == nil ? exchange.status : nil
                self = status.map { .status($0.code) } ?? .failed
            }
        }

        let name: String
        let method: String
        let path: String
        let cause: ExchangeCause
        let outcome: Outcome
        let spans: [WaterfallSpan]
        let duration: Duration
        /// All details of the exchange, one per line.
        let details: [String]

        /// The start and end of its bars, in nanoseconds from the left edge.
        var begin: Int64 { spans.first?.begin ?? 0 }
        var end: Int64 { spans.last?.end ?? 0 }
    }
}

extension Waterfall.Row {
    init(_ exchange: ExchangeMetrics, name: String, axis: WaterfallAxis, now: MonotonicInstant) {
        let spans = WaterfallSpan.spans(of: exchange, now: now).map { axis.place($0, beginning: exchange.begin) }
        let duration = max(.zero, exchange.duration(now: now))
        self.init(
            name: name,
            method: exchange.method.rawValue,
            path: WaterfallLabel.path(of: exchange.target),
            cause: exchange.cause,
            outcome: Outcome(exchange),
            spans: spans,
            duration: duration,
            details: WaterfallLabel.details(of: exchange, spans: spans, duration: duration)
        )
    }
}
