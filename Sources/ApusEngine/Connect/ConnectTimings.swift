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
    /// The proxy by its URL, without user and password.
    var proxy: String?
    var tlsVersion: String?
    /// The certificates of the server.
    var certificates: [ServerCertificate] = []
    /// Whether the certificate was verified for the host of the request, and not for another name in its settings.
    var isHostVerified = false
    var negotiated = NegotiatedProtocol.http1

    /// The time that the TCP connection took: about a round trip, or more if several addresses were tried. `nil` if it is
    /// unknown.
    var roundTripNanoseconds: UInt64? {
        guard let connectBegin, let connectEnd else { return nil }
        return UInt64(max(connectBegin.duration(to: connectEnd).wholeNanoseconds, 0))
    }

    /// Writes the beginning of an exchange into its record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - start: The time at which its request began.
    ///   - isRequestDone: Whether the request has ended too.
    ///   - isReused: Whether the connection was open before.
    ///   - connection: The number of the connection.
    ///   - stream: The number of its stream. Default: `nil`, over HTTP/1.1.
    func begin(
        _ record: ExchangeRecord,
        at start: MonotonicInstant,
        isRequestDone: Bool,
        isReused: Bool,
        on connection: Int,
        stream: Int32? = nil
    ) {
        record.write { metrics in
            metrics.connectionReady = start
            metrics.requestBegin = start
            metrics.requestEnd = isRequestDone ? start : nil
            metrics.isReused = isReused
            metrics.connectionNumber = connection
            // An exchange that was moved here from an HTTP/2 connection has a number from there.
            metrics.streamNumber = stream.map { Int($0) }
            write(into: &metrics, isReused: isReused)
        }
    }

    private func write(into metrics: inout ExchangeMetrics, isReused: Bool) {
        metrics.remoteAddress = remoteAddress
        metrics.proxy = proxy
        metrics.tlsVersion = tlsVersion
        metrics.peerCertificates = certificates
        metrics.isHostVerified = isHostVerified
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
