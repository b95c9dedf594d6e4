/// Holds the bodies of one direction together to a rate.
///
/// Bodies take turns. Each takes at most `turnBytes` and passes behind all that have taken before, so none of them
/// waits longer than one turn of each other.
final class BandwidthLimiter: Sendable {
    /// The maximum number of bytes to take at once.
    let turnBytes: Int
    private let time: AnySessionClock
    private let bucket: Lock<ByteBucket>

    /// - Parameters:
    ///   - bytesPerSecond: The rate, at least 1.
    ///   - time: The clock.
    init(_ bytesPerSecond: Int, _ time: AnySessionClock) {
        let bucket = ByteBucket(bytesPerSecond)
        self.turnBytes = bucket.turnBytes
        self.time = time
        self.bucket = Lock(bucket)
    }

    /// Takes bytes. Returns the time until they may pass.
    func take(_ count: Int) -> Duration {
        let now = time.now
        return bucket.withLock { $0.take(count, at: now) }
    }

    /// Gives back bytes that were taken and do not pass.
    func giveBack(_ count: Int) {
        bucket.withLock { $0.giveBack(count) }
    }
}
