internal import HTTPTypes

/// A picture of what requests did: a row for each exchange, a bar for each of its phases, one axis of time for all.
///
/// ```swift
/// let first = try await session.get("https://example.org/")
/// let second = try await session.get("https://example.org/style.css")
/// print(Waterfall([first.metrics, second.metrics]).text(columns: 80))
/// ```
///
/// It shows no secret and obeys no peer: the values of queries are left out, and control characters, wherever they
/// come from, are shown as `�`.
public struct Waterfall: Sendable {
    /// What becomes of the time in which nothing was on its way.
    public enum IdleTime: Sendable, Hashable {
        /// It is a gap in the picture.
        case shown
        /// It is left out: the axis counts the time in which something was on its way.
        case cut
    }

    let rows: [Row]
    /// How long the axis is.
    let duration: Duration
    /// How much time is not on the axis.
    let idleTime: Duration
    let requestCount: Int

    /// Draws requests.
    ///
    /// - Parameters:
    ///   - metrics: What was measured of each request; its exchanges stand below each other.
    ///   - names: What stands in front of each request, the first for the first; none by default.
    ///   - idleTime: What becomes of the time in which nothing was on its way; shown by default.
    ///   - now: Where the bar of an exchange ends that is still going on.
    public init(
        _ metrics: [RequestMetrics],
        names: [String] = [],
        idleTime: IdleTime = .shown,
        now: MonotonicInstant = .now
    ) {
        self.init(hops: metrics.map(\.hops), names: names, idleTime: idleTime, now: now)
    }

    /// Draws requests of which there are only the exchanges: those of an `ApusError`, for one.
    ///
    /// - Parameters:
    ///   - requests: The exchanges of each request.
    ///   - names: What stands in front of each request, the first for the first; none by default.
    ///   - idleTime: What becomes of the time in which nothing was on its way; shown by default.
    ///   - now: Where the bar of an exchange ends that is still going on.
    public init(
        hops requests: [[HopMetrics]],
        names: [String] = [],
        idleTime: IdleTime = .shown,
        now: MonotonicInstant = .now
    ) {
        let axis = WaterfallAxis(requests.joined().map { (begin: $0.begin, end: $0.end ?? now) }, idleTime: idleTime)
        self.rows = requests.enumerated().flatMap { index, hops in
            let name = index < names.count ? WaterfallLabel.clean(names[index]) : ""
            return hops.enumerated().map { position, hop in
                Row(hop, name: position == 0 ? name : "", axis: axis, now: now)
            }
        }
        self.duration = axis.duration
        self.idleTime = axis.idleTime
        self.requestCount = requests.count { !$0.isEmpty }
    }

    /// How much there is to see, in words.
    var summary: String {
        let requests = requestCount == 1 ? "1 request" : "\(requestCount) requests"
        let hops = rows.count == requestCount ? "" : ", \(rows.count) exchanges"
        let cut = idleTime > .zero ? "; \(WaterfallScale.label(idleTime)) of idle time left out" : ""
        return "\(requests)\(hops) in \(WaterfallScale.label(duration))\(cut)"
    }
}

extension Waterfall {
    /// One exchange.
    struct Row: Sendable {
        /// How it came out.
        enum Outcome: Sendable, Hashable {
            case status(Int)
            case failed
            case running

            init(_ hop: HopMetrics) {
                guard hop.end != nil else {
                    self = .running
                    return
                }
                let status = hop.error == nil ? hop.status : nil
                self = status.map { .status($0.code) } ?? .failed
            }
        }

        let name: String
        let method: String
        let path: String
        let cause: HopCause
        let outcome: Outcome
        let spans: [WaterfallSpan]
        let duration: Duration
        /// All that is known of it, a line each.
        let details: [String]

        /// Where its bars begin and end, in nanoseconds from the left edge.
        var begin: Int64 { spans.first?.begin ?? 0 }
        var end: Int64 { spans.last?.end ?? 0 }
    }
}

extension Waterfall.Row {
    init(_ hop: HopMetrics, name: String, axis: WaterfallAxis, now: MonotonicInstant) {
        let spans = WaterfallSpan.spans(of: hop, now: now).map { axis.place($0, beginning: hop.begin) }
        let duration = max(.zero, hop.duration(now: now))
        self.init(
            name: name,
            method: hop.method.rawValue,
            path: WaterfallLabel.path(of: hop.target),
            cause: hop.cause,
            outcome: Outcome(hop),
            spans: spans,
            duration: duration,
            details: WaterfallLabel.details(of: hop, spans: spans, duration: duration)
        )
    }
}
