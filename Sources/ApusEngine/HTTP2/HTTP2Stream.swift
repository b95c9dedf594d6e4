internal import ApusCore
internal import HTTPTypes
internal import NIOCore

/// One exchange on an HTTP/2 connection. Confined to its event loop.
final class HTTP2Stream: ExchangeConnection {
    let id: Int32
    let exchange: Exchange
    let connection: HTTP2Connection
    var progress: ExchangeProgress
    var clock: ExchangeClock
    var upload: RequestUpload?
    /// The bytes of the body that wait for a window or for the channel.
    var rest = ByteBuffer()
    /// Whether the body ends with `rest`.
    var endsAfterRest = false
    /// The trailer fields to send after `rest`.
    var trailers: HTTPFields?
    var isRequestDone = false
    /// Whether the reader of the response has enough for now, so that the window is not opened.
    var isHeld = false
    /// The number of received bytes that the window was not opened for.
    var unconsumedBytes = 0
    /// The number of bytes of the response's body that are still to come. `nil` if it is unknown.
    var missingBytes: Int64?

    init(id: Int32, exchange: Exchange, connection: HTTP2Connection, progress: ExchangeProgress, upload: RequestUpload)
    {
        self.id = id
        self.exchange = exchange
        self.connection = connection
        self.progress = progress
        self.upload = upload
        let timeouts = exchange.input.timeouts
        self.clock = ExchangeClock(
            start: progress.start,
            idleRead: timeouts.idleRead,
            idleWrite: timeouts.idleWrite
        )
    }

    // MARK: Time limits

    private var situation: ExchangeClock.Situation {
        .init(isRequestDone: isRequestDone, hasResponse: progress.status != nil)
    }

    /// Whether the rest of the body is held back, because the request is suspended.
    private var isContentHeld: Bool { exchange.isContentHeld && !isRequestDone }

    /// Whether bytes wait for the window alone, so that none are in transit.
    var waitsForWindow: Bool { rest.readableBytes > 0 && connection.isChannelWritable }

    /// The next time to check its limits. `nil` while its reader or its request pauses it, or if it has no limit.
    var nextInstant: MonotonicInstant? {
        if let continueDue = progress.continueDue { return continueDue }
        return isHeld || isContentHeld ? nil : clock.nextCheck(situation, polls: !waitsForWindow)
    }

    /// Returns the error of a stream that has made no progress for too long.
    func expiry(at now: MonotonicInstant) -> ApusError? {
        guard !isHeld, !isContentHeld, progress.continueDue == nil, let due = clock.due(situation), due.instant <= now
        else { return nil }
        return due.expiry.error(after: due.limit)
    }

    // MARK: ExchangeConnection

    func exchangeWantsMore(_ exchange: Exchange) {
        connection.readOn(self)
    }

    func exchangeIsDiscarded(_ exchange: Exchange, upTo byteCount: Int) {
        // Resetting the stream is cheaper than reading a long rest.
        if missingBytes ?? 0 > byteCount { return exchange.cancel() }
        connection.readOn(self)
    }

    func exchangeAborted(_ exchange: Exchange, _ error: ApusError) {
        connection.abort(self, error)
    }

    func write(_ chunk: ByteBuffer, of exchange: Exchange) {
        var chunk = chunk
        if rest.readableBytes == 0 { rest = chunk } else { rest.writeBuffer(&chunk) }
        clock.noteQueued(at: connection.now)
        connection.sendRest(of: self)
    }

    func endContent(of exchange: Exchange, trailers: HTTPFields?) {
        self.trailers = trailers
        connection.endContent(of: self)
    }

    var isWritable: Bool { rest.readableBytes == 0 && connection.isChannelWritable }

    func exchangeIsReleased(_ exchange: Exchange) {
        connection.sendOn(self)
    }
}
