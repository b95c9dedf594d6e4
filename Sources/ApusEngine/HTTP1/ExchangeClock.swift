internal import ApusCore

/// Decides when an exchange has made no progress for too long.
///
/// Progress is what happens on the socket: bytes that arrived, bytes that the kernel took, and bytes that the peer
/// acknowledged. A piece of content that was queued is progress only where nothing before it is still on its way, so
/// that a slow source cannot hide a peer that takes nothing.
///
/// ```
///   phase       from … to                                            limit       error
///   sending     the head → the request is acknowledged, or answered  idleWrite   writeTimeout
///   receiving   from then on                                         idleRead    readTimeout
/// ```
struct ExchangeClock {
    enum Expiry: Equatable {
        /// Bytes of the request wait, and the peer took none of them.
        case peerTookNothing
        /// The source of the content gave nothing to send.
        case sourceGaveNothing
        /// The peer sent nothing.
        case nothingArrived
    }

    /// The state of the exchange that the limits depend on.
    struct Situation {
        /// Whether the whole request was given to the kernel.
        var isRequestDone: Bool
        /// Whether the final head has arrived.
        var hasAnswer: Bool
    }

    private let idleRead: Duration?
    private let idleWrite: Duration?
    /// When bytes last arrived or left.
    private var progressed: MonotonicInstant
    /// When the source last gave a piece of the content.
    private var queued: MonotonicInstant
    private var lastLook: MonotonicInstant
    private var acknowledgedBytes: UInt64 = 0
    /// Whether pieces wait for the kernel to take what was written before them.
    private var isStalled = false
    /// Whether the peer had bytes to acknowledge at the last look.
    private var hasUnacknowledged = false
    /// Whether the socket is looked at from time to time: for requests that do not leave in one write.
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

    /// Bytes arrived, or the reader wants to read on.
    mutating func noteProgress(at instant: MonotonicInstant) { progressed = instant }

    /// The kernel takes no more for now.
    mutating func noteStalled() {
        guard !isStalled else { return }
        isStalled = true
        progressed = max(progressed, queued)
    }

    /// The kernel took bytes, and has room for more.
    mutating func noteWritable(at instant: MonotonicInstant) {
        isStalled = false
        progressed = instant
    }

    /// The source gave a piece of the content.
    mutating func noteQueued(at instant: MonotonicInstant) { queued = instant }

    /// A content goes out that does not leave with its head; `status` is the socket's before it does.
    mutating func watchSending(_ status: SocketStatus?, at instant: MonotonicInstant) {
        watchesSending = status != nil
        acknowledgedBytes = status?.acknowledgedBytes ?? 0
        hasUnacknowledged = status != nil
        lastLook = instant
        queued = instant
        progressed = instant
    }

    /// Takes in what the socket says now.
    mutating func look(_ status: SocketStatus?, at instant: MonotonicInstant) {
        guard watchesSending, let status else { return }
        lastLook = instant
        let hasEnded = hasUnacknowledged && !status.hasUnacknowledged
        if !hasUnacknowledged { progressed = max(progressed, queued) }
        if status.acknowledgedBytes > acknowledgedBytes || hasEnded { progressed = instant }
        acknowledgedBytes = status.acknowledgedBytes
        hasUnacknowledged = status.hasUnacknowledged
    }

    private func isSending(_ situation: Situation) -> Bool { !situation.isRequestDone || hasUnacknowledged }

    /// When the exchange has failed unless it makes progress before; `nil` where it may take any time.
    func due(_ situation: Situation) -> (instant: MonotonicInstant, limit: Duration, expiry: Expiry)? {
        let isOnItsWay = hasUnacknowledged || isStalled
        let since = isOnItsWay ? progressed : max(progressed, queued)
        guard isSending(situation), !situation.hasAnswer else {
            return idleRead.map { (since.advanced(by: $0), $0, .nothingArrived) }
        }
        return idleWrite.map { (since.advanced(by: $0), $0, isOnItsWay ? .peerTookNothing : .sourceGaveNothing) }
    }

    /// When the socket is to be looked at next. Progress is noticed at a quarter of the shorter limit.
    func nextLook(_ situation: Situation) -> MonotonicInstant? {
        guard watchesSending, isSending(situation) else { return nil }
        let shorter = [idleRead, idleWrite].compactMap { $0 }.min()
        return shorter.map { lastLook.advanced(by: $0 / 4) }
    }
}

extension ExchangeClock.Expiry {
    func error(after limit: Duration) -> ApusError {
        switch self {
        case .peerTookNothing: ApusError(.writeTimeout, "the peer took nothing for \(limit.spoken)")
        case .sourceGaveNothing: ApusError(.writeTimeout, "the source of its content gave nothing for \(limit.spoken)")
        case .nothingArrived: ApusError(.readTimeout, "nothing came for \(limit.spoken)")
        }
    }
}
