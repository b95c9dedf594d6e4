internal import Synchronization

extension RequestContext {
    /// Returns the body of the response to an exchange, wrapped to report progress if a monitor receives it. A complete
    /// body is reported at once.
    func counted(
        _ body: ResponseBody,
        of record: ExchangeRecord,
        expecting total: @autoclosure () -> Int64?
    ) -> ResponseBody {
        guard let eventSink, eventSink.receivesProgress else { return body }
        if record.isDecoded { return Self.counted(body, decodedIn: record, expecting: total(), eventSink) }
        let length = if case .whole(let chunk) = body.storage { Int64(chunk.count) } else { total() }
        return body.observed(onChunk: { _, count in eventSink.post(.contentReceived(count, of: length)) })
    }

    /// Returns a decoded body, wrapped to report the progress of the coded one.
    private static func counted(
        _ body: ResponseBody,
        decodedIn record: ExchangeRecord,
        expecting expected: Int64?,
        _ eventSink: RequestEventSink
    ) -> ResponseBody {
        if case .whole(let chunk) = body.storage {
            let count = record.received(Int64(chunk.count), of: nil).completed
            eventSink.post(.contentReceived(count, of: count))
            return body
        }
        let reports = ReceivedReports(record, expecting: expected, eventSink)
        return body.observed(
            onChunk: { _, count in reports.note(count) },
            // A coding may end with bytes that no chunk comes from.
            onEnd: { ending in if case .complete = ending { reports.noteEnd() } }
        )
    }

    /// Reports the progress of a body that arrives in segments, if a monitor receives it.
    func noteReceived(_ count: Int64, of total: Int64) {
        guard let eventSink, eventSink.receivesProgress else { return }
        eventSink.post(.contentReceived(count, of: total))
    }
}

/// Reports the progress of a coded body to monitors while the decoded one is read.
private final class ReceivedReports: Sendable {
    private let record: ExchangeRecord
    private let expected: Int64?
    private let eventSink: RequestEventSink
    /// The number of bytes that were reported last. Changed by the only reader of the body.
    private let reported = Atomic<Int64>(0)

    init(_ record: ExchangeRecord, expecting expected: Int64?, _ eventSink: RequestEventSink) {
        self.record = record
        self.expected = expected
        self.eventSink = eventSink
    }

    /// Reports the received bytes after `count` decoded ones were read. Several chunks may come from the same bytes.
    func note(_ count: Int64) {
        let (received, total) = record.received(count, of: expected)
        guard reported.exchange(received, ordering: .relaxed) != received else { return }
        eventSink.post(.contentReceived(received, of: total))
    }

    /// Reports the bytes that were received after the last chunk.
    func noteEnd() { note(reported.load(ordering: .relaxed)) }
}
