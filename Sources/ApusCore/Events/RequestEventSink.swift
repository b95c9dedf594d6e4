internal import HTTPTypes
internal import Synchronization

/// Sends the events of one request to the dispatcher of its session.
final class RequestEventSink: ExchangeListener {
    let request: RequestID
    /// Whether the request has sent events and is not finished, as seen by the dispatcher, which changes it
    /// under its lock.
    let isUnfinished = Atomic(false)
    private let dispatcher: EventDispatcher

    init(request: RequestID, dispatcher: EventDispatcher) {
        self.request = request
        self.dispatcher = dispatcher
    }

    /// Appends an event without delivering it, for callers that hold a lock. They call `drain()` after releasing it.
    func append(_ event: consuming RequestEvent) { dispatcher.append(consume event, of: self) }

    /// Schedules the delivery of the appended events.
    func drain() { dispatcher.drain() }

    func post(_ event: consuming RequestEvent) { dispatcher.post(consume event, of: self) }

    func post(_ event: consuming RequestEvent, _ next: consuming RequestEvent) {
        dispatcher.post(consume event, consume next, of: self)
    }

    /// Whether any monitor receives progress events.
    var receivesProgress: Bool { dispatcher.receivesProgress }

    func exchange(_ record: ExchangeRecord, didSend byteCount: Int64, of total: Int64?) {
        if receivesProgress { post(.contentSent(byteCount, of: total)) }
    }

    func exchange(_ record: ExchangeRecord, didReceiveInformational response: HTTPResponse) {
        post(.informational(response))
    }

    func exchangeDidEnd(_ record: ExchangeRecord) {
        post(.exchangeEnded(record))
    }
}
