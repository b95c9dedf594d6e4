internal import HTTPTypes
internal import NIOCore

extension HTTP2FrameParser {
    /// The size of the priority in a HEADERS or PRIORITY frame.
    static var priorityBytes: Int { 5 }

    /// The maximum number of bytes that are kept of the text in a GOAWAY frame.
    private static var debugBytes: Int { 200 }

    /// Reads the complete payload of a frame other than DATA, whose header was checked.
    ///
    /// - Returns: `nil` if the frame is a part of a header block that continues.
    mutating func read(
        _ header: HTTP2FrameHeader,
        _ payload: inout ByteBuffer
    ) throws(HTTP2ConnectionError) -> HTTP2Frame? {
        let stream = header.stream
        switch header.kind {
        case .headers?:
            return try readHeaders(header, &payload)
        case .continuation?:
            return try readContinuation(header, &payload)
        case .priority?:
            return .priority(stream: stream)
        case .reset?:
            return .reset(stream: stream, Self.readCode(&payload))
        case .settings?:
            return try readSettings(header, &payload)
        case .pushPromise?:
            let paddingBytes = Self.readPadLength(header, &payload)
            let promised = Self.readIdentifier(&payload)
            guard paddingBytes <= payload.readableBytes else { throw .paddingTooLong(.pushPromise) }
            return .pushPromise(stream: stream, promised: promised)
        case .ping?:
            let token: UInt64 = payload.readInteger() ?? 0
            return header.isAcknowledgement ? .pingAcknowledged(token) : .ping(token)
        case .goAway?:
            let lastStream = Self.readIdentifier(&payload)
            let code = Self.readCode(&payload)
            return .goAway(lastStream: lastStream, code, debug: Self.cleanText(payload))
        case .windowUpdate?:
            return .windowUpdate(stream: stream, increment: Int(Self.readIdentifier(&payload)))
        case .data?, nil:
            // DATA is never passed to this function.
            return .unknown
        }
    }

    private mutating func readHeaders(
        _ header: HTTP2FrameHeader,
        _ payload: inout ByteBuffer
    ) throws(HTTP2ConnectionError) -> HTTP2Frame? {
        let paddingBytes = Self.readPadLength(header, &payload)
        if header.hasPriority { payload.moveReaderIndex(forwardBy: Self.priorityBytes) }
        guard paddingBytes <= payload.readableBytes else { throw .paddingTooLong(.headers) }
        payload.moveWriterIndex(to: payload.writerIndex - paddingBytes)
        try checkBlock(adding: payload.readableBytes)
        if header.endsHeaders {
            return .headers(stream: header.stream, block: payload, endStream: header.endsStream)
        }
        block.stream = header.stream
        block.endStream = header.endsStream
        // Copied, since a slice would keep the received bytes until the block is complete.
        block.bytes.writeBuffer(&payload)
        return nil
    }

    private mutating func readContinuation(
        _ header: HTTP2FrameHeader,
        _ payload: inout ByteBuffer
    ) throws(HTTP2ConnectionError) -> HTTP2Frame? {
        try checkBlock(adding: payload.readableBytes)
        block.bytes.writeBuffer(&payload)
        block.continuationFrames += 1
        guard header.endsHeaders else { return nil }
        let complete = block
        block = Block()
        return .headers(stream: complete.stream, block: complete.bytes, endStream: complete.endStream)
    }

    private mutating func readSettings(
        _ header: HTTP2FrameHeader,
        _ payload: inout ByteBuffer
    ) throws(HTTP2ConnectionError) -> HTTP2Frame {
        if header.isAcknowledgement { return .settingsAcknowledged }
        var settings: [HTTP2Setting] = []
        settings.reserveCapacity(payload.readableBytes / 6)
        while let identifier = payload.readInteger(as: UInt16.self), let value = payload.readInteger(as: UInt32.self) {
            let setting = HTTP2Setting(identifier: identifier, value: value)
            try setting.check()
            settings.append(setting)
        }
        hasSettings = true
        return .settings(settings)
    }

    /// Reads the length of the padding, or returns 0 if the frame has none.
    private static func readPadLength(_ header: HTTP2FrameHeader, _ payload: inout ByteBuffer) -> Int {
        guard header.isPadded else { return 0 }
        return Int(payload.readInteger(as: UInt8.self) ?? 0)
    }

    /// Reads 31 bits after a reserved one.
    private static func readIdentifier(_ payload: inout ByteBuffer) -> Int32 {
        Int32(bitPattern: (payload.readInteger(as: UInt32.self) ?? 0) & 0x7FFF_FFFF)
    }

    private static func readCode(_ payload: inout ByteBuffer) -> HTTP2ErrorCode {
        HTTP2ErrorCode(rawValue: payload.readInteger(as: UInt32.self) ?? 0)
    }

    /// Returns text from the server that is safe in a log line.
    private static func cleanText(_ payload: ByteBuffer) -> String {
        let text = String(decoding: payload.readableBytesView.prefix(debugBytes), as: UTF8.self)
        var cleaned = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where isHarmless(scalar) { cleaned.append(scalar) }
        return String(cleaned)
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        // It replaces bytes that are not UTF-8.
        if scalar.value == 0xFFFD { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }
}
