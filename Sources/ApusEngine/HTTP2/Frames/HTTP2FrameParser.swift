package import NIOCore

/// Parses the frames that a server sends, directly from the received bytes.
///
/// Bytes that it does not need yet stay in the caller's buffer: of a DATA frame fewer than 256, of any other frame
/// fewer than 16,384 and its header. The parser itself holds only a header block that CONTINUATION frames continue,
/// which `HTTP2Limits.headerBlockBytes` bounds. The result does not depend on how the bytes were split. After an error
/// every further call throws the same error.
///
///     header ─┬→ payload, when complete → frame ──────────────→ header
///             ├→ payload of HEADERS, CONTINUATION: block ─────→ header
///             └→ DATA: part of a frame, until all have arrived → header
///
/// Unknown flags, priorities and the reserved bit of a stream's identifier are ignored. A frame of an unknown type is
/// returned without its content.
///
/// https://www.rfc-editor.org/rfc/rfc9113.html#section-4
package struct HTTP2FrameParser: Sendable {
    /// The largest payload of a frame. It is the default of SETTINGS_MAX_FRAME_SIZE, which is never raised.
    package static let payloadBytes = 16_384

    /// The rest of a DATA frame.
    private struct Rest {
        let stream: Int32
        /// The bytes of data that were not returned.
        var dataBytes: Int
        let paddingBytes: Int
        /// The size of the field with the padding's length, which counts for flow control.
        let lengthBytes: Int
        let endStream: Bool
    }

    /// A header block that a CONTINUATION frame must continue.
    struct Block {
        /// 0 if there is no such block.
        var stream: Int32 = 0
        var endStream = false
        var bytes = ByteBuffer()
        var continuationFrames = 0
    }

    private enum Phase {
        case header
        case data(Rest)
        case failed(HTTP2ConnectionError)
    }

    let limits: HTTP2Limits
    var block = Block()
    /// Whether the server's first frame, which must be SETTINGS, was complete.
    var hasSettings = false
    private var phase: Phase = .header

    /// Creates a parser for the first byte of a connection.
    package init(limits: HTTP2Limits) {
        var limits = limits
        // A ByteBuffer traps at 4 GiB.
        limits.headerBlockBytes = min(limits.headerBlockBytes, 16 * 1024 * 1024)
        self.limits = limits
    }

    /// Takes the next frame off `buffer`. Returns `nil` if more bytes are needed.
    ///
    /// A DATA frame is returned in parts, as they arrive. Any other frame is returned when it is complete. The caller
    /// then appends to `buffer` and passes it again.
    package mutating func next(_ buffer: inout ByteBuffer) throws(HTTP2ConnectionError) -> HTTP2Frame? {
        do throws(HTTP2ConnectionError) {
            return try advance(&buffer)
        } catch {
            block = Block()
            phase = .failed(error)
            throw error
        }
    }

    private mutating func advance(_ buffer: inout ByteBuffer) throws(HTTP2ConnectionError) -> HTTP2Frame? {
        while true {
            switch phase {
            case .header:
                guard let header = HTTP2FrameHeader(buffer) else { return nil }
                try check(header)
                if header.kind == .data {
                    guard try beginData(header, &buffer) else { return nil }
                } else {
                    guard buffer.readableBytes - HTTP2FrameHeader.byteCount >= header.length else { return nil }
                    buffer.moveReaderIndex(forwardBy: HTTP2FrameHeader.byteCount)
                    guard var payload = buffer.readSlice(length: header.length) else { return nil }
                    if let frame = try read(header, &payload) { return frame }
                }
            case .data(let rest):
                return takeData(rest, &buffer)
            case .failed(let error):
                throw error
            }
        }
    }

    /// Takes the header of a DATA frame off the buffer, with the length of its padding.
    ///
    /// - Returns: `false` if the length of the padding has not arrived.
    private mutating func beginData(
        _ header: HTTP2FrameHeader,
        _ buffer: inout ByteBuffer
    ) throws(HTTP2ConnectionError) -> Bool {
        var paddingBytes = 0
        var lengthBytes = 0
        if header.isPadded {
            let position = buffer.readerIndex + HTTP2FrameHeader.byteCount
            guard let byte = buffer.getInteger(at: position, as: UInt8.self) else { return false }
            paddingBytes = Int(byte)
            lengthBytes = 1
        }
        let dataBytes = header.length - lengthBytes - paddingBytes
        guard dataBytes >= 0 else { throw .paddingTooLong(.data) }
        buffer.moveReaderIndex(forwardBy: HTTP2FrameHeader.byteCount + lengthBytes)
        phase = .data(
            Rest(
                stream: header.stream,
                dataBytes: dataBytes,
                paddingBytes: paddingBytes,
                lengthBytes: lengthBytes,
                endStream: header.endsStream
            )
        )
        return true
    }

    /// Takes the readable part of a DATA frame as one slice, without a copy.
    private mutating func takeData(_ rest: Rest, _ buffer: inout ByteBuffer) -> HTTP2Frame? {
        let missing = rest.dataBytes + rest.paddingBytes
        if buffer.readableBytes >= missing {
            guard let slice = buffer.readSlice(length: rest.dataBytes) else { return nil }
            buffer.moveReaderIndex(forwardBy: rest.paddingBytes)
            phase = .header
            return .data(
                stream: rest.stream,
                slice,
                flowControlled: missing + rest.lengthBytes,
                endStream: rest.endStream
            )
        }
        let count = min(rest.dataBytes, buffer.readableBytes)
        guard count > 0, let slice = buffer.readSlice(length: count) else { return nil }
        var rest = rest
        rest.dataBytes -= count
        phase = .data(rest)
        return .data(stream: rest.stream, slice, flowControlled: count, endStream: false)
    }
}
