/// The limiters of both directions, for one request or for all requests of a session.
struct BandwidthLimiters: Sendable {
    let limit: TransferRateLimit
    /// `nil` without a limit.
    let download: BandwidthLimiter?
    /// `nil` without a limit.
    let upload: BandwidthLimiter?

    init(_ limit: TransferRateLimit, _ time: AnySessionClock) {
        self.limit = limit
        self.download = limit.download.map { BandwidthLimiter($0, time) }
        self.upload = limit.upload.map { BandwidthLimiter($0, time) }
    }
}
