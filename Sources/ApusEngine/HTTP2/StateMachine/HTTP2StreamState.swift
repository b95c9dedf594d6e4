internal import HTTPTypes

/// The state of one stream of a connection. Streams that have ended in both directions, or were reset, have none.
///
/// ```
///   open ──────(request ends)──→ requestEnded ──(response ends)──→ gone
///     └──(response ends)──→ responseEnded ──(request ends)──→ gone
///   all three ──(reset by either side, excluded by GOAWAY, end of the connection)──→ gone
/// ```
///
/// RFC 9113 §5.1 calls them "open", "half-closed (local)", "half-closed (remote)" and "closed". A client's stream is
/// opened by the HEADERS of its request, so it is never "idle" here, nor "reserved" without push.
struct HTTP2StreamState {
    enum Phase: Sendable, Equatable {
        case open
        case requestEnded
        case responseEnded
    }

    let id: Int32
    var phase: Phase
    var response: HTTP2ResponseDecoder
    var sendWindow: HTTP2FlowWindow
    var receiveWindow: HTTP2ReceiveWindow
    /// Whether a header block has arrived, informational or final.
    var hasResponse = false
    /// Whether bytes of the request wait for a window.
    var waitsForWindow = false

    init(
        id: Int32,
        isRequestEnded: Bool,
        method: HTTPRequest.Method,
        sendWindowBytes: Int,
        receiveWindowBytes: Int,
        limits: HTTP2Limits
    ) {
        self.id = id
        phase = isRequestEnded ? .requestEnded : .open
        response = HTTP2ResponseDecoder(method: method, limits: limits)
        sendWindow = HTTP2FlowWindow(availableBytes: sendWindowBytes)
        receiveWindow = HTTP2ReceiveWindow(byteCount: receiveWindowBytes)
    }
}
