internal import HTTPTypes
internal import Synchronization

/// Sends the events of one request to the pump of its session.
final class Outbox: ExchangeListener {
    let request: RequestID
    /// Whether the request has sent events and is not finished, as seen by the pump. The pump changes it under its
    /// lock.
    let isUnfinished = Atomic(false)
    private let pump: EventPump

    init(request: RequestID, pump: EventPump) {
        self.request = request
        self.pump = pump
    }

    /// Appends an event without delivering it, for callers that hold a lock. They call `drain()` after releasing it.
    func append(_ event: consuming RequestEvent) { pump.append(consume event, of: self) }

    /// Schedules the delivery of the appended events.
    func drain() { pump.drain() }

    func post(_ event: consuming RequestEvent) { pump.post(consume event, of: self) }

    func post(_ event: consuming RequestEvent, _ next: consuming RequestEvent) {
        pump.post(consume event, consume next, of: self)
    }

    /// Whether any monitor receives progress events.
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
