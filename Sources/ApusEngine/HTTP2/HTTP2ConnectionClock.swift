internal import ApusCore

/// Decides when a connection sends a PING, and when its server counts as dead. Any received byte proves that it lives.
struct HTTP2ConnectionClock {
    enum Verdict: Equatable {
        case nothing
        case ping
        case dead(after: Duration)
    }

    private let interval: Duration?
    private let patience: Duration
    private var lastRead: MonotonicInstant?
    /// The time of the last PING, or of the last acknowledged byte after it. `nil` if something was received since.
    private var pinged: MonotonicInstant?
    /// The number of bytes that the peer had acknowledged at the last check.
    private var acknowledgedBytes: UInt64 = 0
    /// Whether the server has sent anything since the connection had no streams.
    private(set) var hasReadSinceBusy = false
    /// Whether the round trip is unknown and no PING is under way.
    private(set) var wantsRoundTrip = true

    /// - Parameters:
    ///   - interval: The time without received bytes before a PING. `nil` for none.
    ///   - patience: The time for the answer.
    init(interval: Duration?, patience: Duration) {
        self.interval = interval
        self.patience = patience
    }

    /// Records that the first stream begins.
    mutating func noteBusy(at instant: MonotonicInstant) {
        lastRead = instant
        pinged = nil
        hasReadSinceBusy = false
    }

    /// Records that there are no streams. A silent server is normal then.
    mutating func noteIdle() {
        lastRead = nil
        pinged = nil
    }

    /// Records received bytes. Returns whether they follow a PING.
    mutating func noteRead(at instant: MonotonicInstant) -> Bool {
        defer { pinged = nil }
        lastRead = instant
        hasReadSinceBusy = true
        return pinged != nil
    }

    /// Records a PING that the server has to answer, and returns its token, the time.
    ///
    /// `acknowledgedBytes` is the number of bytes that the peer has acknowledged so far.
    mutating func takePing(at instant: MonotonicInstant, acknowledgedBytes: UInt64 = 0) -> UInt64 {
        pinged = instant
        self.acknowledgedBytes = acknowledgedBytes
        return takeRoundTripPing(at: instant)
    }

    /// Records a PING that only measures the round trip, and returns its token, the time.
    mutating func takeRoundTripPing(at instant: MonotonicInstant) -> UInt64 {
        wantsRoundTrip = false
        return instant.nanoseconds
    }

    /// Extends the patience if the peer has acknowledged more bytes: they precede the PING, which is not sent yet.
    mutating func noteAcknowledged(_ count: UInt64, at instant: MonotonicInstant) {
        guard pinged != nil, count > acknowledgedBytes else { return }
        acknowledgedBytes = count
        pinged = instant
    }

    /// The time of the next check. `nil` if there is none.
    var due: MonotonicInstant? {
        if let pinged { return pinged.advanced(by: patience) }
        guard let interval, let lastRead else { return nil }
        return lastRead.advanced(by: interval)
    }

    func check(at now: MonotonicInstant) -> Verdict {
        guard let due, due <= now else { return .nothing }
        return pinged == nil ? .ping : .dead(after: patience)
    }
}
