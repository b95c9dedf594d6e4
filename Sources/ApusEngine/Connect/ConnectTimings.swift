internal import ApusCore

/// The timings of a connection's setup, recorded in the metrics of the first exchange on it.
struct ConnectTimings {
    var resolveBegin: MonotonicInstant?
    var resolveEnd: MonotonicInstant?
    var connectBegin: MonotonicInstant?
    var connectEnd: MonotonicInstant?
    var tlsBegin: MonotonicInstant?
    var tlsEnd: MonotonicInstant?
    var remoteAddress: String?
    var tlsVersion: String?
    var negotiated = NegotiatedProtocol.http1

    func write(into metrics: inout ExchangeMetrics, isReused: Bool) {
        metrics.remoteAddress = remoteAddress
        metrics.tlsVersion = tlsVersion
        metrics.networkProtocol = negotiated.rawValue
        guard !isReused else { return }
        metrics.resolveBegin = resolveBegin
        metrics.resolveEnd = resolveEnd
        metrics.connectBegin = connectBegin
        metrics.connectEnd = connectEnd
        metrics.tlsBegin = tlsBegin
        metrics.tlsEnd = tlsEnd
    }
}
