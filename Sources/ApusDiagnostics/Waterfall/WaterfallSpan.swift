internal import ApusCore
internal import HTTPTypes

/// A phase of an exchange. The cases are in order of time.
enum WaterfallPhase: Int, CaseIterable, Sendable {
    case queue, resolve, connect, tls, send, wait, receive

    /// The name in the legend.
    var name: String {
        switch self {
        case .queue: "queue"
        case .resolve: "DNS"
        case .connect: "connect"
        case .tls: "TLS"
        case .send: "send"
        case .wait: "wait"
        case .receive: "receive"
        }
    }
}

/// One phase of one exchange, in nanoseconds.
struct WaterfallSpan: Sendable, Hashable {
    let phase: WaterfallPhase
    let begin: Int64
    let end: Int64

    var duration: Duration { .nanoseconds(end - begin) }

    /// Returns the phases of an exchange, relative to its beginning, without gaps and overlaps.
    ///
    /// Instants may be out of order: a connection may have been set up before the exchange began, for another one, and
    /// a response may arrive before the request has ended. An instant earlier than its predecessor adds no time.
    static func spans(of exchange: ExchangeMetrics, now: MonotonicInstant) -> [WaterfallSpan] {
        var cutter = Cutter(begin: exchange.begin, end: max(exchange.end ?? now, exchange.begin))
        cutter.cut(.queue, to: exchange.resolveBegin)
        cutter.cut(.resolve, to: exchange.resolveEnd)
        cutter.cut(cutter.last ?? .queue, to: exchange.connectBegin)
        cutter.cut(.connect, to: exchange.connectEnd)
        cutter.cut(cutter.last ?? .queue, to: exchange.tlsBegin)
        cutter.cut(.tls, to: exchange.tlsEnd)
        // The last step of a new connection ends when the connection is ready.
        cutter.cut(cutter.last ?? .queue, to: exchange.connectionReady)
        cutter.cut(.send, to: exchange.requestBegin)
        cutter.cut(.send, to: endOfSending(exchange))
        cutter.cut(.wait, to: exchange.responseBegin)
        cutter.cutRest(as: lastPhase(of: exchange))
        return cutter.spans
    }

    /// Returns the end of sending: the last byte of the request, or the first byte of a response that arrived earlier.
    /// An interim `100 (Continue)` does not count as a response.
    private static func endOfSending(_ exchange: ExchangeMetrics) -> MonotonicInstant? {
        guard let requestEnd = exchange.requestEnd else { return exchange.responseBegin }
        guard let responseBegin = exchange.responseBegin,
            !exchange.informational.contains(where: { $0.status.code == 100 })
        else {
            return requestEnd
        }
        return min(responseBegin, requestEnd)
    }

    /// Returns the phase in which the exchange ended.
    private static func lastPhase(of exchange: ExchangeMetrics) -> WaterfallPhase {
        if exchange.responseBegin != nil { return .receive }
        if exchange.requestEnd != nil { return .wait }
        if exchange.requestBegin != nil { return .send }
        switch exchange.error?.phase {
        case .resolve: return .resolve
        case .connect: return .connect
        case .tls: return .tls
        default: break
        }
        if exchange.tlsBegin != nil { return .tls }
        if exchange.connectBegin != nil { return .connect }
        return exchange.resolveBegin == nil ? .queue : .resolve
    }

    /// Splits the time of an exchange into phases, from left to right.
    private struct Cutter {
        private let begin: MonotonicInstant
        private let end: MonotonicInstant
        private var cursor: MonotonicInstant
        private(set) var spans: [WaterfallSpan] = []

        init(begin: MonotonicInstant, end: MonotonicInstant) {
            self.begin = begin
            self.end = end
            self.cursor = begin
        }

        /// The latest phase, `nil` if it is the queue.
        var last: WaterfallPhase? {
            spans.last.flatMap { $0.phase == .queue ? nil : $0.phase }
        }

        /// Assigns the time from the last cut to `instant` to `phase`.
        mutating func cut(_ phase: WaterfallPhase, to instant: MonotonicInstant?) {
            guard let instant else { return }
            let stop = min(instant, end)
            guard stop > cursor else { return }
            var from = offset(of: cursor)
            if let last = spans.last, last.phase == phase {
                from = last.begin
                spans.removeLast()
            }
            spans.append(WaterfallSpan(phase: phase, begin: from, end: offset(of: stop)))
            cursor = stop
        }

        /// Assigns the rest to `phase`. The result always has a span, possibly with no length.
        mutating func cutRest(as phase: WaterfallPhase) {
            cut(phase, to: end)
            if spans.isEmpty { spans.append(WaterfallSpan(phase: phase, begin: 0, end: 0)) }
        }

        private func offset(of instant: MonotonicInstant) -> Int64 {
            begin.duration(to: instant).wholeNanoseconds
        }
    }
}
