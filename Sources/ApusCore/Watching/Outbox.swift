internal import HTTPTypes

/// Where one request puts its events in: its session's pump, under its number.
struct Outbox: ExchangeListener {
    private let request: RequestID
    private let pump: EventPump

    init(request: RequestID, pump: EventPump) {
        self.request = request
        self.pump = pump
    }

    /// Appends without handing over: for callers that hold a lock; they call `drain()` after it.
    func append(_ event: RequestEvent) { pump.append(event, of: request) }

    /// Has handed over what was appended.
    func drain() { pump.drain() }

    func post(_ event: RequestEvent) { pump.post(event, of: request) }

    /// Whether anybody hears progress.
    var hearsProgress: Bool { pump.hearsProgress }

    func exchange(_ record: ExchangeRecord, didSend byteCount: Int64, of total: Int64?) {
        if hearsProgress { post(.contentSent(byteCount, of: total)) }
    }

    func exchange(_ record: ExchangeRecord, didReceiveInformational response: HTTPResponse) {
        post(.informational(response))
    }

    func exchangeDidEnd(_ record: ExchangeRecord) {
        post(.exchangeEnded(record.metrics))
    }
}
