internal import NIOCore

/// The nine bytes that begin a frame (RFC 9113 §4.1).
struct HTTP2FrameHeader: Sendable {
    static var byteCount: Int { 9 }

    static var acknowledgementFlag: UInt8 { 0x1 }
    static var endStreamFlag: UInt8 { 0x1 }
    static var endHeadersFlag: UInt8 { 0x4 }
    static var paddedFlag: UInt8 { 0x8 }
    static var priorityFlag: UInt8 { 0x20 }

    /// The number of bytes after the header.
    let length: Int
    /// `nil` for an unknown type.
    let kind: HTTP2FrameKind?
    let flags: UInt8
    /// The stream without its reserved bit, so never negative.
    let stream: Int32

    init(length: Int, kind: HTTP2FrameKind, flags: UInt8, stream: Int32) {
        self.length = length
        self.kind = kind
        self.flags = flags
        self.stream = stream
    }

    /// Reads the header at the buffer's reader index. Returns `nil` if it is incomplete.
    init?(_ buffer: ByteBuffer) {
        let start = buffer.readerIndex
        // The last byte first, since the header is complete if it is readable.
        guard let last = buffer.getInteger(at: start + 8, as: UInt8.self),
            let word = buffer.getInteger(at: start, as: UInt64.self)
        else { return nil }
        length = Int(word >> 40)
        kind = HTTP2FrameKind(rawValue: UInt8(truncatingIfNeeded: word >> 32))
        flags = UInt8(truncatingIfNeeded: word >> 24)
        stream = Int32(truncatingIfNeeded: ((word & 0x7F_FFFF) << 8) | UInt64(last))
    }

    /// Appends the header to `buffer`.
    func write(into buffer: inout ByteBuffer) {
        let identifier = UInt64(UInt32(bitPattern: stream))
        var word = UInt64(UInt32(truncatingIfNeeded: length)) << 40
        word |= UInt64(kind?.rawValue ?? 0xFF) << 32
        word |= UInt64(flags) << 24
        word |= identifier >> 8
        buffer.writeInteger(word)
        buffer.writeInteger(UInt8(truncatingIfNeeded: identifier))
    }

    /// Whether the frame acknowledges SETTINGS or PING. Other frames use this bit for END_STREAM.
    var isAcknowledgement: Bool { flags & Self.acknowledgementFlag != 0 }
    var endsStream: Bool { flags & Self.endStreamFlag != 0 }
    var endsHeaders: Bool { flags & Self.endHeadersFlag != 0 }
    /// Whether the payload begins with the length of its padding. Valid for DATA, HEADERS and PUSH_PROMISE.
    var isPadded: Bool { flags & Self.paddedFlag != 0 }
    /// Whether a HEADERS frame has five bytes with a priority, which are ignored.
    var hasPriority: Bool { flags & Self.priorityFlag != 0 }
}
