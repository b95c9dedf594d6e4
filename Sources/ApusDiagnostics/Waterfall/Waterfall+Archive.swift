internal import ApusCore
internal import Foundation

extension Waterfall {
    /// Draws the exchanges of an archive from any program, for example `HARRecorder` or a browser.
    ///
    /// The rows are in the order in which the exchanges began. Those of one request are grouped if the archive
    /// identifies requests, as a `HARRecorder` does. Hosts and pages are named if there are several. The bars are as
    /// exact as the archive, whose start times are in milliseconds. For exact measurements use
    /// `init(_:names:idleTime:now:)`.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - idleTime: How to draw the time in which no exchange was active. Default: `.shown`.
    public init(_ archive: HTTPArchive, idleTime: IdleTime = .shown) {
        let groups = ArchivedExchange.groups(of: archive)
        let axis = WaterfallAxis(groups.joined().map { (begin: $0.begin, end: $0.end) }, idleTime: idleTime)
        let hosts = Set(groups.joined().map(\.host))
        var pages = archive.pages.count > 1 ? Dictionary(archive.pages.map { ($0.id, $0.title) }) { $1 } : [:]
        self.rows = groups.joined().map { exchange in
            // Only the first row of a page shows its title.
            let title = exchange.entry.pageref.flatMap { pages.removeValue(forKey: $0) } ?? ""
            return Row(exchange, name: title, showsHost: hosts.count > 1, axis: axis)
        }
        self.duration = axis.duration
        self.idleTime = axis.idleTime
        self.requestCount = groups.count
    }
}

/// An exchange of an archive, on a clock that starts with the first exchange.
private struct ArchivedExchange {
    let entry: HTTPArchive.Entry
    let begin: MonotonicInstant
    let end: MonotonicInstant
    /// Its phases, relative to its beginning.
    let spans: [WaterfallSpan]
    let host: String
    /// The rest of the URL.
    let path: String

    /// Returns the exchanges, grouped by request.
    static func groups(of archive: HTTPArchive) -> [[ArchivedExchange]] {
        let first = archive.entries.map(\.startedDateTime).min() ?? Date(timeIntervalSince1970: 0)
        var places: [Int64: Int] = [:]
        var groups: [[ArchivedExchange]] = []
        for entry in archive.entries {
            let exchange = ArchivedExchange(entry, first: first)
            if let number = entry.requestNumber, let place = places[number] {
                groups[place].append(exchange)
            } else {
                if let number = entry.requestNumber { places[number] = groups.count }
                groups.append([exchange])
            }
        }
        let sorted = groups.map { $0.stablySorted { $0.begin } }
        return sorted.stablySorted { $0.first?.begin ?? MonotonicInstant(nanoseconds: 0) }
    }

    private init(_ entry: HTTPArchive.Entry, first: Date) {
        self.entry = entry
        // Limited to ten years, so that sums do not overflow.
        let offset = min(max(0, entry.startedDateTime.timeIntervalSince(first)), 316_224_000)
        // Dates are exact to a tenth of a microsecond at best.
        begin = MonotonicInstant(nanoseconds: UInt64((offset * 1e6).rounded()) * 1000)
        spans = Self.spans(of: entry)
        end = begin.advanced(by: .nanoseconds(spans.last?.end ?? 0))
        let shown = Redaction.url(String(entry.request.url.prefix(2000)))
        if let scheme = shown.range(of: "://") {
            let rest = shown[scheme.upperBound...]
            let authority = rest.prefix { !"/?#".contains($0) }
            host = String(authority)
            path = authority.endIndex == rest.endIndex ? "/" : String(rest[authority.endIndex...])
        } else {
            host = ""
            path = shown
        }
    }

    private static func spans(of entry: HTTPArchive.Entry) -> [WaterfallSpan] {
        let timings = entry.timings
        let ssl = max(.zero, timings.ssl ?? .zero)
        let connect = max(.zero, timings.connect ?? .zero)
        // The format includes TLS in the connect time, but not all programs comply.
        let total = timings.total
        let isApart = ssl > connect || entry.time - total > ssl / 2
        var phases: [(WaterfallPhase, Duration)] = [
            (.queue, timings.blocked ?? .zero), (.resolve, timings.dns ?? .zero),
            (.connect, isApart ? connect : connect - ssl), (.tls, ssl),
            (.send, timings.send), (.wait, timings.wait), (.receive, timings.receive),
        ]
        if phases.allSatisfy({ $0.1 <= .zero }) { phases = [(.wait, entry.time)] }
        var spans: [WaterfallSpan] = []
        var cursor: Int64 = 0
        for (phase, duration) in phases where duration > .zero {
            let end = cursor + min(duration.wholeNanoseconds, 316_224_000_000_000_000)
            spans.append(WaterfallSpan(phase: phase, begin: cursor, end: end))
            cursor = end
        }
        return spans.isEmpty ? [WaterfallSpan(phase: .wait, begin: 0, end: 0)] : spans
    }
}

extension Waterfall.Row {
    fileprivate init(_ exchange: ArchivedExchange, name: String, showsHost: Bool, axis: WaterfallAxis) {
        let entry = exchange.entry
        let spans = exchange.spans.map { axis.place($0, beginning: exchange.begin) }
        let duration = exchange.begin.duration(to: exchange.end)
        let hasResponse = entry.response.status > 0 && entry.response.error == nil
        self.init(
            // The title of a page is often its URL.
            name: WaterfallLabel.clean(Redaction.text(name)),
            method: WaterfallLabel.clean(entry.request.method),
            path: WaterfallLabel.clean(showsHost ? exchange.host + exchange.path : exchange.path),
            cause: entry.cause.flatMap { ExchangeCause(rawValue: $0) } ?? .first,
            outcome: hasResponse ? .status(entry.response.status) : .failed,
            spans: spans,
            duration: duration,
            details: Self.details(of: entry, spans: spans, duration: duration)
        )
    }

    private static func details(of entry: HTTPArchive.Entry, spans: [WaterfallSpan], duration: Duration) -> [String] {
        let (request, response) = (entry.request, entry.response)
        var lines = ["\(request.method) \(Redaction.url(String(request.url.prefix(500))))"]
        let outcome = response.status > 0 ? "\(response.status) \(response.statusText)".trimmed : "no response"
        let cause = entry.cause.flatMap { ExchangeCause(rawValue: $0) } ?? .first
        let following = cause == .first ? "" : ", a \(cause.rawValue)"
        lines.append("\(outcome), \(WaterfallScale.label(duration))\(following)")
        lines += spans.filter { $0.end > $0.begin }.map { "\($0.phase.name) \(WaterfallScale.label($0.duration))" }
        let size = response.bodySize ?? response.content.size ?? 0
        if size > 0 { lines.append("\(size) bytes of \(response.content.mimeType)") }
        let parts: [String?] = [
            entry.connection.map { "connection \($0)" }, entry.streamNumber.map { "stream \($0)" },
            entry.serverIPAddress, response.httpVersion,
        ]
        let connection = parts.compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }
        if !connection.isEmpty { lines.append(connection.joined(separator: ", ")) }
        lines += [response.error, entry.comment].compactMap { $0.map { Redaction.text(String($0.prefix(500))) } }
        return lines.map(WaterfallLabel.clean)
    }
}

extension Array {
    /// Returns the elements sorted by a key. Elements with the same key keep their order.
    fileprivate func stablySorted(by key: (Element) -> MonotonicInstant) -> [Element] {
        enumerated().map { (key: key($1), offset: $0, element: $1) }
            .sorted { ($0.key, $0.offset) < ($1.key, $1.offset) }
            .map(\.element)
    }
}
