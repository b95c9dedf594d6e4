internal import ApusCore
internal import HTTPTypes

/// The progress of one exchange on a connection.
struct ExchangeProgress {
    var start: MonotonicInstant
    var headBytes: Int
    var isReused: Bool
    /// The time when bytes last arrived.
    var lastRead: MonotonicInstant
    var firstByte: MonotonicInstant?
    /// The time until which the body is held back for a `100 (Continue)`.
    var continueDue: MonotonicInstant?
    /// Whether a `100 (Continue)` has arrived, and the body has not been started.
    var startsContent = false
    var sentBytes: Int64 = 0
    var receivedBytes: Int64 = 0
    var bodyBytes: Int64 = 0
    var keepsAlive = true
    var hasUpgraded = false
    /// Whether a proxy has sent a challenge, and the request is sent again with its answer.
    var isChallenged = false
    var status: HTTPResponse.Status?
    var trailers: HTTPFields?

    init(start: MonotonicInstant = MonotonicInstant(nanoseconds: 0), headBytes: Int = 0, isReused: Bool = false) {
        self.start = start
        self.headBytes = headBytes
        self.isReused = isReused
        self.lastRead = start
    }

    func write(into metrics: inout ExchangeMetrics) {
        metrics.requestHeadBytes = headBytes
        metrics.requestBodyBytes = sentBytes
        metrics.responseBegin = firstByte
        metrics.responseBodyBytes = bodyBytes
        metrics.responseHeadBytes = Int(receivedBytes - bodyBytes)
        metrics.status = status
    }
}
