internal import HTTPTypes
internal import NIOCore

/// Reads the responses of an HTTP proxy to CONNECT, RFC 9110 §9.3.6. Over bytes, without I/O.
///
///     request sent → 2xx → open: further bytes belong to the origin, and the length fields of the head are ignored
///                  → 407 → the end of its body → challenged
///                  → any other status → the beginning of its body → refused
struct ProxyTunnel {
    /// A response that opens no tunnel.
    struct Refusal {
        let status: HTTPResponse.Status
        let fields: HTTPFields
        /// The beginning of the body.
        fileprivate(set) var content: [UInt8] = []
    }

    enum Step {
        /// More bytes are needed.
        case wait
        /// The tunnel is open. Bytes that are left over come from the origin.
        case open
        /// The proxy wants credentials. `isReusable` is whether the request can be sent again on this connection.
        case challenged(Refusal, isReusable: Bool)
        case refused(Refusal)
    }

    /// The maximum size of a head is 64 KiB.
    private static let limits = HTTP1Limits(responseHeadBytes: 64 << 10, informationalResponses: 16)
    /// The maximum number of bytes of a body that are kept for an error.
    private static let keptBytes = 1 << 10
    /// The maximum number of bytes of a body that are read to keep the connection.
    private static let discardedBytes = 64 << 10

    private var parser = HTTP1ResponseParser(limits: Self.limits)
    private var keepsAlive = false
    private var bodyBytes = 0
    /// The head of a response that opens no tunnel, with the part of its body that has arrived.
    private(set) var refusal: Refusal?

    /// Prepares for the response to a request. To be called before each request.
    mutating func begin() {
        parser = HTTP1ResponseParser(limits: Self.limits)
        parser.begin(method: .connect)
        bodyBytes = 0
        refusal = nil
    }

    /// Takes the bytes of a response off the buffer.
    mutating func receive(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Step {
        while let event = try parser.next(&buffer) {
            switch event {
            case .informational:
                break
            case .head(let head):
                if head.framing == .upgraded { return .open }
                keepsAlive = head.keepAlive
                refusal = Refusal(status: head.status, fields: head.fields)
            case .body(let chunk):
                bodyBytes += chunk.readableBytes
                keep(chunk)
                if bodyBytes > Self.discardedBytes { return conclusion(isReusable: false) }
            case .end:
                return conclusion(isReusable: keepsAlive && buffer.readableBytes == 0)
            }
        }
        // The rest of the body would not be shown.
        if let refusal, refusal.status.code != 407, refusal.content.count >= Self.keptBytes { return .refused(refusal) }
        return .wait
    }

    /// Handles the end of the connection. Returns `nil` if no response has arrived.
    func end() -> Step? {
        refusal == nil ? nil : conclusion(isReusable: false)
    }

    private func conclusion(isReusable: Bool) -> Step {
        guard let refusal else { return .wait }
        return refusal.status.code == 407 ? .challenged(refusal, isReusable: isReusable) : .refused(refusal)
    }

    private mutating func keep(_ chunk: ByteBuffer) {
        let room = Self.keptBytes - (refusal?.content.count ?? 0)
        refusal?.content += chunk.readableBytesView.prefix(max(room, 0))
    }
}
