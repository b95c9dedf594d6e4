internal import NIOCore

extension HTTP2FrameParser {
    /// Throws if a frame with this header can't be valid, before its payload has arrived. It changes nothing.
    func check(_ header: HTTP2FrameHeader) throws(HTTP2ConnectionError) {
        guard hasSettings || (header.kind == .settings && !header.isAcknowledgement) else {
            throw .protocolError("The server did not begin with a SETTINGS frame: is this an HTTP/2 server?")
        }
        guard header.length <= Self.payloadBytes else {
            throw .frameSizeError(
                "The server sent a frame of \(header.length) bytes, which is above the maximum of \(Self.payloadBytes)."
            )
        }
        try checkContinuation(header)
        guard let kind = header.kind else { return }
        try Self.checkStream(header, kind)
        try Self.checkSize(header, kind)
    }

    /// Checks that CONTINUATION frames, and nothing else, follow an incomplete header block (RFC 9113 §6.10).
    private func checkContinuation(_ header: HTTP2FrameHeader) throws(HTTP2ConnectionError) {
        let isContinuation = header.kind == .continuation
        guard block.stream != 0 else {
            if isContinuation { throw .protocolError("The server continued a header block that was complete.") }
            return
        }
        guard isContinuation, header.stream == block.stream else {
            throw .protocolError("The server interrupted a header block by another frame.")
        }
        guard block.continuationFrames < limits.continuationFrames else {
            throw .exceeded(
                "continuationFrames",
                "The server split a header block into more than the limit of \(limits.continuationFrames) "
                    + "CONTINUATION frames."
            )
        }
    }

    private static func checkStream(
        _ header: HTTP2FrameHeader,
        _ kind: HTTP2FrameKind
    ) throws(HTTP2ConnectionError) {
        switch kind {
        case .data, .headers, .priority, .reset, .pushPromise, .continuation:
            if header.stream == 0 { throw .protocolError("The server sent a \(kind) frame without a stream.") }
        case .settings, .ping, .goAway:
            if header.stream != 0 {
                throw .protocolError("The server sent a \(kind) frame on a stream; it belongs to the connection.")
            }
        case .windowUpdate: break
        }
    }

    private static func checkSize(
        _ header: HTTP2FrameHeader,
        _ kind: HTTP2FrameKind
    ) throws(HTTP2ConnectionError) {
        let length = header.length
        let padLength = header.isPadded ? 1 : 0
        let isValid: Bool =
            switch kind {
            case .data: length >= padLength
            case .headers: length >= padLength + (header.hasPriority ? priorityBytes : 0)
            case .priority: length == priorityBytes
            case .reset, .windowUpdate: length == 4
            case .settings: header.isAcknowledgement ? length == 0 : length % 6 == 0
            case .pushPromise: length >= padLength + 4
            case .ping: length == 8
            case .goAway: length >= 8
            case .continuation: true
            }
        guard isValid else {
            throw .frameSizeError("The server sent a \(kind) frame with a wrong size of \(length) bytes.")
        }
    }

    /// Throws if a header block would become too large.
    func checkBlock(adding byteCount: Int) throws(HTTP2ConnectionError) {
        guard block.bytes.readableBytes + byteCount <= limits.headerBlockBytes else {
            throw .exceeded(
                "headerBlockBytes",
                "The server sent a header block of more than the limit of \(limits.headerBlockBytes) bytes."
            )
        }
    }
}

extension HTTP2ConnectionError {
    static func paddingTooLong(_ kind: HTTP2FrameKind) -> HTTP2ConnectionError {
        .protocolError("The server sent a \(kind) frame with padding that is longer than the frame.")
    }
}
