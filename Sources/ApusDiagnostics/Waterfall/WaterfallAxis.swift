internal import ApusCore

/// Maps instants to positions on the axis.
struct WaterfallAxis {
    /// From `instant` on, up to the next cut, `total` nanoseconds before it have been removed from the axis.
    private struct Cut {
        let instant: MonotonicInstant
        let total: Int64
    }

    private var cuts: [Cut] = []
    let duration: Duration
    let idleTime: Duration

    /// - Parameters:
    ///   - exchanges: The start and end of each exchange.
    ///   - idleTime: How to draw the time between exchanges.
    init(
        _ exchanges: some Sequence<(begin: MonotonicInstant, end: MonotonicInstant)>,
        idleTime: Waterfall.IdleTime
    ) {
        let sorted = exchanges.sorted { $0.begin < $1.begin }
        guard let first = sorted.first else {
            self.duration = .zero
            self.idleTime = .zero
            return
        }
        var busyUntil = first.begin
        var idle: Int64 = 0
        cuts = [Cut(instant: first.begin, total: 0)]
        for exchange in sorted {
            if idleTime == .cut, exchange.begin > busyUntil {
                idle += busyUntil.duration(to: exchange.begin).wholeNanoseconds
                cuts.append(Cut(instant: exchange.begin, total: idle))
            }
            busyUntil = max(busyUntil, exchange.end)
        }
        self.duration = first.begin.duration(to: busyUntil) - .nanoseconds(idle)
        self.idleTime = .nanoseconds(idle)
    }

    /// Returns the span on the axis, for an exchange that began at `begin`. A cut never lies within an exchange.
    func place(_ span: WaterfallSpan, beginning begin: MonotonicInstant) -> WaterfallSpan {
        guard let first = cuts.first, begin >= first.instant else { return span }
        let offset = first.instant.duration(to: begin).wholeNanoseconds - cuts[lastCut(upTo: begin)].total
        return WaterfallSpan(phase: span.phase, begin: span.begin + offset, end: span.end + offset)
    }

    /// Returns the index of the last cut that is not after `instant`, or 0 if there is none.
    private func lastCut(upTo instant: MonotonicInstant) -> Int {
        var range = 0..<cuts.count
        while range.count > 1 {
            let middle = range.lowerBound + range.count / 2
            range = cuts[middle].instant <= instant ? middle..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
