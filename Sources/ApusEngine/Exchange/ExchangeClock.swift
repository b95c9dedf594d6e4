internal import ApusCore

/// Decides when an exchange has made no progress for too long.
///
/// Progress is measured at the socket: received bytes, bytes taken by the kernel, and bytes acknowledged by the peer. A
/// queued chunk of the body counts only if nothing before it is unsent or unacknowledged, so that a slow source does
/// not hide a peer that takes nothing. Acknowledged bytes come from `TCP_INFO`, which is read while a long body is
/// sent.
///
/// A link of 2 KB/s does not time out. Nor does a response that is still streamed by a server that no longer reads the
/// request. A peer that reads nothing times out, as does a source that provides nothing. Its owner checks no limit while
/// the body is held back, because the request is suspended.
///
/// ```
///   phase       from … to                                            limit       error
///   sending     the head → the request is acknowledged or responded  idleWrite   writeTimeout
///   receiving   from then on                                         idleRead    readTimeout
/// ```
struct ExchangeClock {
    enum Expiry: Equatable {
        /// Bytes of the request are pending, and the peer took none of them.
        case peerTookNothing
        /// The source of the body provided nothing to send.
        case sourceGaveNothing
        /// The peer sent nothing.
        case nothingArrived
    }

    /// The state of the exchange that the limits depend on.
    struct Situation {
        /// Whether the whole request was passed to the kernel.
        var isRequestDone: Bool
        /// Whether the final head has arrived.
        var hasResponse: Bool
    }

    private let idleRead: Duration?
    private let idleWrite: Duration?
    /// The time when bytes last arrived or left.
    private var progressed: MonotonicInstant
    /// The time when the source last provided a chunk of the body.
    private var queued: MonotonicInstant
    private var lastLook: MonotonicInstant
    private var acknowledgedBytes: UInt64 = 0
    /// Whether chunks wait for the kernel to take earlier ones.
    private var isStalled = false
    /// Whether the peer had bytes to acknowledge at the last look.
    private var hasUnacknowledged = false
    /// Whether the socket is polled, for requests that are not sent in one write.
    private(set) var watchesSending = false

    init(
        start: MonotonicInstant = MonotonicInstant(nanoseconds: 0),
        idleRead: Duration? = nil,
        idleWrite: Duration? = nil
    ) {
        self.idleRead = idleRead
        self.idleWrite = idleWrite
        self.progressed = start
        self.queued = start
        self.lastLook = start
    }

    /// Records that bytes arrived, or that the reader resumed.
    mutating func noteProgress(at instant: MonotonicInstant) { progressed = instant }

    /// Records that the kernel takes no more for now.
    mutating func noteStalled() {
        guard !isStalled else { return }
        isStalled = true
        progressed = max(progressed, queued)
    }

    /// Records that the kernel took bytes and has room for more.
    mutating func noteWritable(at instant: MonotonicInstant) {
        isStalled = false
        progressed = instant
    }

    /// Records that the source provided a chunk of the body.
    mutating func noteQueued(at instant: MonotonicInstant) { queued = instant }

    /// Starts to watch a body that is not sent with its head. `status` is the socket's status before the body.
    mutating func watchSending(_ status: SocketStatus?, at instant: MonotonicInstant) {
        watchesSending = status != nil
        acknowledgedBytes = status?.acknowledgedBytes ?? 0
        hasUnacknowledged = status != nil
        lastLook = instant
        queued = instant
        progressed = instant
    }

    /// Updates the progress from the socket's status.
    mutating func look(_ status: SocketStatus?, at instant: MonotonicInstant) {
        guard watchesSending else { return }
        lastLook = instant
        guard let status else { return }
        let hasEnded = hasUnacknowledged && !status.hasUnacknowledged
        if !hasUnacknowledged { progressed = max(progressed, queued) }
        if status.acknowledgedBytes > acknowledgedBytes || hasEnded { progressed = instant }
        acknowledgedBytes = status.acknowledgedBytes
        hasUnacknowledged = status.hasUnacknowledged
    }

    private func isSending(_ situation: Situation) -> Bool { !situation.isRequestDone || hasUnacknowledged }

    /// The time at which the exchange fails unless it makes progress before. `nil` if no limit applies.
    func due(_ situation: Situation) -> (instant: MonotonicInstant, limit: Duration, expiry: Expiry)? {
        let isInTransit = hasUnacknowledged || isStalled
        let since = isInTransit ? progressed : max(progressed, queued)
        guard isSending(situation), !situation.hasResponse else {
            return idleRead.map { (since.advanced(by: $0), $0, .nothingArrived) }
        }
        return idleWrite.map { (since.advanced(by: $0), $0, isInTransit ? .peerTookNothing : .sourceGaveNothing) }
    }

    /// The next time to check the limits. `nil` if none applies.
    ///
    /// - Parameters:
    ///   - situation: The state of the exchange.
    ///   - polls: Whether the socket is polled before. Default: `true`.
    /// - Returns: The time.
    func nextCheck(_ situation: Situation, polls: Bool = true) -> MonotonicInstant? {
        let (due, look) = (due(situation)?.instant, polls ? nextLook(situation) : nil)
        guard let due, let look else { return due ?? look }
        return min(due, look)
    }

    /// The next time to poll the socket. Progress is noticed within a quarter of the shorter limit.
    func nextLook(_ situation: Situation) -> MonotonicInstant? {
        guard watchesSending, isSending(situation) else { return nil }
        let shorter = [idleRead, idleWrite].compactMap { $0 }.min()
        return shorter.map { lastLook.advanced(by: $0 / 4) }
    }
}

extension ExchangeClock.Expiry {
    func error(after limit: Duration) -> ApusError {
        let time = limit.formatted
        return switch self {
        case .peerTookNothing:
            ApusError(
                .writeTimeout,
                "the server accepted no data for \(time)",
                hint: "raise timeouts.idleWrite for a slower server"
            )
        case .sourceGaveNothing:
            ApusError(
                .writeTimeout,
                "the request body provided no data for \(time)",
                hint: "raise timeouts.idleWrite for a slower source"
            )
        case .nothingArrived:
            ApusError(
                .readTimeout,
                "no data arrived for \(time)",
                hint: "raise timeouts.idleRead for a slower server"
            )
        }
    }
}
