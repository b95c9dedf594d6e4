import NIOCore

/// Splits the bytes of a client into frames. Independent of the codec under test.
struct ClientFrameReader {
    /// The default of SETTINGS_MAX_FRAME_SIZE, which the server never raises.
    static let largestPayload = 16_384
    private static let headerBytes = 9
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let connection: Int
    private var buffer = ByteBuffer()
    private var hasPreface = false
    private var hasSettings = false

    /// - Parameter connection: The number of the connection, which the frames get.
    init(connection: Int) {
        self.connection = connection
    }

    mutating func append(_ bytes: ByteBuffer) {
        buffer.writeImmutableBuffer(bytes)
    }

    /// Takes the next frame. Returns `nil` if more bytes are needed.
    mutating func next() throws(ClientFault) -> ClientFrame? {
        if !hasPreface {
            guard let bytes = buffer.readBytes(length: Self.preface.count) else { return nil }
            guard bytes == Self.preface else { throw ClientFault("the connection begins with \(bytes)") }
            hasPreface = true
        }
        let start = buffer.readerIndex
        guard let word = buffer.getInteger(at: start, as: UInt32.self),
            let flags = buffer.getInteger(at: start + 4, as: UInt8.self),
            let identifier = buffer.getInteger(at: start + 5, as: UInt32.self)
        else { return nil }
        let length = Int(word >> 8)
        guard length <= Self.largestPayload else { throw ClientFault("a frame has \(length) bytes") }
        guard let kind = FrameKind(rawValue: UInt8(truncatingIfNeeded: word)) else {
            throw ClientFault("a frame has the unknown type \(word & 0xFF)")
        }
        guard let stream = Int32(exactly: identifier) else { throw ClientFault("a frame has the reserved bit") }
        guard buffer.readableBytes >= Self.headerBytes + length else { return nil }
        buffer.moveReaderIndex(forwardBy: Self.headerBytes)
        let payload = buffer.readBytes(length: length) ?? []
        if buffer.readerIndex > 1 << 20 { buffer.discardReadBytes() }
        let frame = ClientFrame(
            connection: connection,
            kind: kind,
            flags: flags,
            stream: stream,
            byteCount: length,
            payload: payload
        )
        guard hasSettings || kind == .settings && !frame.isAcknowledgement else {
            throw ClientFault("the first frame is not SETTINGS: \(frame)")
        }
        hasSettings = true
        return frame
    }
}
