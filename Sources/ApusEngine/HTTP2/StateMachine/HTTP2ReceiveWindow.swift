/// The number of bytes that the peer may send, on a stream or on the connection (RFC 9113 §6.9).
///
/// Each byte of the window is in one of three places: the peer may still send it, it has arrived and waits for its
/// reader, or its reader has taken it and no WINDOW_UPDATE has given it back yet. The second place is the memory that
/// the peer can occupy.
///
/// A WINDOW_UPDATE is due when half of the window was consumed. In the connection's window it is also due when the
/// consumed bytes outnumber those that the peer may still send.
struct HTTP2ReceiveWindow: Sendable, Equatable {
    /// The size of the window.
    private(set) var byteCount: Int
    /// The number of bytes by which it has grown.
    private(set) var grownBytes = 0
    /// The number of bytes that the peer may still send.
    private(set) var availableBytes: Int
    /// The number of bytes that have arrived and were not consumed.
    private(set) var unconsumedBytes = 0
    /// The number of bytes that were consumed and not given back.
    private(set) var owedBytes = 0
    /// The number of bytes that were consumed since `roundStart`, which is `nil` until a whole window was consumed.
    private var roundBytes = 0
    private var roundStart: UInt64?
    private let isShared: Bool

    init(byteCount: Int, isShared: Bool = false) {
        self.byteCount = byteCount
        self.isShared = isShared
        availableBytes = byteCount
    }

    /// Records received bytes. Returns `false` if the peer exceeds the window, which is then unchanged.
    mutating func receive(_ count: Int) -> Bool {
        guard count >= 0, count <= availableBytes else { return false }
        availableBytes -= count
        unconsumedBytes += count
        return true
    }

    /// Records consumed bytes. Counts no more than have arrived, so that no byte is given back twice.
    ///
    /// - Returns: The number of bytes that were counted.
    @discardableResult
    mutating func consume(_ count: Int) -> Int {
        let counted = min(max(count, 0), unconsumedBytes)
        unconsumedBytes -= counted
        owedBytes += counted
        return counted
    }

    /// Returns the increment of the WINDOW_UPDATE that is due, or `nil`.
    mutating func takeIncrement() -> Int? {
        guard owedBytes > 0, owedBytes >= byteCount / 2 || (isShared && owedBytes >= availableBytes) else { return nil }
        defer { owedBytes = 0 }
        availableBytes += owedBytes
        return owedBytes
    }

    /// Grows the window to `size` before it has been consumed, and starts the measurement. Does not shrink it.
    mutating func grow(to size: Int, at now: UInt64) {
        guard size > byteCount else { return }
        owedBytes += size - byteCount
        grownBytes += size - byteCount
        byteCount = size
        roundStart = now
    }

    /// Doubles the window, up to `limit`, if a whole window was consumed within `period` nanoseconds: then the window
    /// limits the peer, and not its speed or the reader's.
    ///
    /// The first window only starts the measurement. A reader that pauses and then consumes a full buffer at once is
    /// not taken for a fast one, since its pause is part of the measurement.
    mutating func noteConsumed(_ count: Int, at now: UInt64, within period: UInt64, limit: Int) {
        roundBytes += count
        guard roundBytes >= byteCount else { return }
        roundBytes = 0
        if let start = roundStart, now >= start, now - start < period, byteCount < limit {
            let grown = byteCount > limit / 2 ? limit : byteCount * 2
            owedBytes += grown - byteCount
            grownBytes += grown - byteCount
            byteCount = grown
        }
        roundStart = now
    }
}
