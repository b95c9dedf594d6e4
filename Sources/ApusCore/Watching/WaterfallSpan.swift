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
    static func spans(of hop: HopMetrics, now: MonotonicInstant) -> [WaterfallSpan] {
        var cutter = Cutter(begin: hop.begin, end: max(hop.end ?? now, hop.begin))
        cutter.cut(.queue, to: hop.resolveBegin)
        cutter.cut(.resolve, to: hop.resolveEnd)
        cutter.cut(cutter.last ?? .queue, to: hop.connectBegin)
        cutter.cut(.connect, to: hop.connectEnd)
        cutter.cut(cutter.last ?? .queue, to: hop.tlsBegin)
        cutter.cut(.tls, to: hop.tlsEnd)
        // The last step of a new connection ends when the connection is ready.
        cutter.cut(cutter.last ?? .queue, to: hop.connectionReady)
        cutter.cut(.send, to: hop.requestBegin)
        cutter.cut(.send, to: endOfSending(hop))
        cutter.cut(.wait, to: hop.responseBegin)
        cutter.cutRest(as: lastPhase(of: hop))
        return cutter.spans
    }

    /// Returns the end of sending: the last byte of the request, or the first byte of a response that arrived earlier.
    /// An interim `100 (Continue)` does not count as a response.
    private static func endOfSending(_ hop: HopMetrics) -> MonotonicInstant? {
        guard let requestEnd = hop.requestEnd else { return hop.responseBegin }
        guard let responseBegin = hop.responseBegin, !hop.informational.contains(where: { $0.status.code == 100 })
        else {
            return requestEnd
        }
        return min(responseBegin, requestEnd)
    }

    /// Returns the phase in which the exchange ended.
    private static func lastPhase(of hop: HopMetrics) -> WaterfallPhase {
        if hop.responseBegin != nil { return .receive }
        if hop.requestEnd != nil { return .wait }
        if hop.requestBegin != nil { return .send }
        switch hop.error?.phase {
        case .resolve: return .resolve
        case .connect: return .connect
        case .tls: return .tls
        default: break
        }
        if hop.tlsBegin != nil { return .tls }
        if hop.connectBegin != nil { return .connect }
        return hop.resolveBegin == nil ? .queue : .resolve
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
