internal import ApusCore
internal import HTTPTypes

/// What one exchange on a connection has done so far.
struct ExchangeProgress {
    var start: MonotonicInstant
    var headBytes: Int
    var isReused: Bool
    /// When bytes last arrived.
    var lastRead: MonotonicInstant
    var firstByte: MonotonicInstant?
    /// Until when the content is held back for a `100 (Continue)`.
    var continueDue: MonotonicInstant?
    var sentBytes: Int64 = 0
    var receivedBytes: Int64 = 0
    var bodyBytes: Int64 = 0
    var keepsAlive = true
    var hasUpgraded = false
    var status: HTTPResponse.Status?

    init(start: MonotonicInstant = MonotonicInstant(nanoseconds: 0), headBytes: Int = 0, isReused: Bool = false) {
        self.start = start
        self.headBytes = headBytes
        self.isReused = isReused
        self.lastRead = start
    }

    func write(into metrics: inout HopMetrics) {
        metrics.requestHeadBytes = headBytes
        metrics.requestBodyBytes = sentBytes
        metrics.responseBegin = firstByte
        metrics.responseBodyBytes = bodyBytes
        metrics.responseHeadBytes = Int(receivedBytes - bodyBytes)
        metrics.status = status
    }
}
