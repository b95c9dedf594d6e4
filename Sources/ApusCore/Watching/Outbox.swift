internal import HTTPTypes
internal import Synchronization

/// Where one request puts its events in: its session's pump, under its number.
final class Outbox: ExchangeListener {
    let request: RequestID
    /// Whether the request has told something and is not finished, as far as its pump has heard: that writes it, under its
    /// lock.
    let isUnfinished = Atomic(false)
    private let pump: EventPump

    init(request: RequestID, pump: EventPump) {
        self.request = request
        self.pump = pump
    }

    /// Appends without handing over: for callers that hold a lock; they call `drain()` after it.
    func append(_ event: consuming RequestEvent) { pump.append(consume event, of: self) }

    /// Has handed over what was appended.
    func drain() { pump.drain() }

    func post(_ event: consuming RequestEvent) { pump.post(consume event, of: self) }

    func post(_ event: consuming RequestEvent, _ next: consuming RequestEvent) {
        pump.post(consume event, consume next, of: self)
    }

    /// Whether anybody hears progress.
    var hearsProgress: Bool { pump.hearsProgress }

    func exchange(_ record: ExchangeRecord, didSend byteCount: Int64, of total: Int64?) {
        if hearsProgress { post(.contentSent(byteCount, of: total)) }
    }

    func exchange(_ record: ExchangeRecord, didReceiveInformational response: HTTPResponse) {
        post(.informational(response))
    }

    func exchangeDidEnd(_ record: ExchangeRecord) {
        post(.exchangeEnded(record))
    }
}
