package import HTTPTypes
package import NIOCore

/// Writes frames. Each function appends complete frames to `buffer`, except `dataHeader`.
package enum HTTP2FrameWriter {
    /// The largest value of SETTINGS_MAX_FRAME_SIZE.
    private static var largestFrame: Int { 16_777_215 }

    /// Appends the text that begins a client's connection. A SETTINGS frame must follow it (RFC 9113 §3.4).
    package static func preface(into buffer: inout ByteBuffer) {
        buffer.writeStaticString("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    }

    package static func settings(_ settings: [HTTP2Setting], into buffer: inout ByteBuffer) {
        write(.settings, length: 6 * settings.count, stream: 0, into: &buffer)
        for setting in settings {
            buffer.writeInteger(setting.identifier)
            buffer.writeInteger(setting.value)
        }
    }

    package static func settingsAcknowledgement(into buffer: inout ByteBuffer) {
        write(.settings, length: 0, flags: HTTP2FrameHeader.acknowledgementFlag, stream: 0, into: &buffer)
    }

    /// Appends a header block as one HEADERS frame, and CONTINUATION frames if it is larger than `maximumFrame`.
    ///
    /// - Parameters:
    ///   - stream: The stream, which must not be 0.
    ///   - block: The complete header block.
    ///   - endStream: Whether nothing else follows on the stream.
    ///   - maximumFrame: The server's SETTINGS_MAX_FRAME_SIZE. Must be positive.
    ///   - buffer: The output.
    package static func headers(
        stream: Int32,
        block: ByteBuffer,
        endStream: Bool,
        maximumFrame: Int,
        into buffer: inout ByteBuffer
    ) {
        precondition(maximumFrame > 0, "a frame must have room for a header block")
        let largest = min(maximumFrame, largestFrame)
        var rest = block
        var kind = HTTP2FrameKind.headers
        var flags = endStream ? HTTP2FrameHeader.endStreamFlag : 0
        repeat {
            let count = min(rest.readableBytes, largest)
            if count == rest.readableBytes { flags |= HTTP2FrameHeader.endHeadersFlag }
            write(kind, length: count, flags: flags, stream: stream, into: &buffer)
            if var part = rest.readSlice(length: count) { buffer.writeBuffer(&part) }
            kind = .continuation
            flags = 0
        } while rest.readableBytes > 0
    }

    /// Appends the header of a DATA frame without padding. The caller writes `length` bytes after it.
    package static func dataHeader(stream: Int32, length: Int, endStream: Bool, into buffer: inout ByteBuffer) {
        let flags = endStream ? HTTP2FrameHeader.endStreamFlag : 0
        write(.data, length: length, flags: flags, stream: stream, into: &buffer)
    }

    package static func reset(stream: Int32, code: HTTP2ErrorCode, into buffer: inout ByteBuffer) {
        write(.reset, length: 4, stream: stream, into: &buffer)
        buffer.writeInteger(code.rawValue)
    }

    package static func ping(_ token: UInt64, into buffer: inout ByteBuffer) {
        write(.ping, length: 8, stream: 0, into: &buffer)
        buffer.writeInteger(token)
    }

    package static func pingAcknowledgement(_ token: UInt64, into buffer: inout ByteBuffer) {
        write(.ping, length: 8, flags: HTTP2FrameHeader.acknowledgementFlag, stream: 0, into: &buffer)
        buffer.writeInteger(token)
    }

    /// Appends a GOAWAY frame.
    ///
    /// - Parameters:
    ///   - lastStream: The last stream of the peer that was processed. For a client without push it is 0.
    ///   - code: The reason.
    ///   - debug: A text for the peer's log, of which at most 1,024 bytes are sent. Default: none.
    ///   - buffer: The output.
    package static func goAway(
        lastStream: Int32,
        code: HTTP2ErrorCode,
        debug: String = "",
        into buffer: inout ByteBuffer
    ) {
        let text = debug.utf8.prefix(1024)
        write(.goAway, length: 8 + text.count, stream: 0, into: &buffer)
        buffer.writeInteger(lastStream)
        buffer.writeInteger(code.rawValue)
        buffer.writeBytes(text)
    }

    /// Appends a WINDOW_UPDATE frame. Stream 0 is the connection. `increment` must be in 1...2147483647.
    package static func windowUpdate(stream: Int32, increment: Int, into buffer: inout ByteBuffer) {
        precondition(1...0x7FFF_FFFF ~= increment, "a window grows by at least 1 and less than 2 GiB")
        write(.windowUpdate, length: 4, stream: stream, into: &buffer)
        buffer.writeInteger(UInt32(increment))
    }

    private static func write(
        _ kind: HTTP2FrameKind,
        length: Int,
        flags: UInt8 = 0,
        stream: Int32,
        into buffer: inout ByteBuffer
    ) {
        precondition(0...largestFrame ~= length, "a frame's payload must be smaller than 16 MiB")
        HTTP2FrameHeader(length: length, kind: kind, flags: flags, stream: stream).write(into: &buffer)
    }
}
