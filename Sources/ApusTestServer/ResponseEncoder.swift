internal import NIOCore

/// Encodes a ``TestResponse`` for the wire.
struct ResponseEncoder {
    /// The framing of the body.
    enum Framing {
        /// The body is not sent, even if the response has one.
        case none
        case length
        case chunked
        /// The end of the connection ends the body.
        case close
    }

    let response: TestResponse
    let framing: Framing
    /// Whether the connection is closed after the response.
    let closes: Bool
    /// Whether the encoder adds the framing field.
    private let addsFraming: Bool

    /// - Parameters:
    ///   - response: The response to encode.
    ///   - request: The head of the request, or nil if it could not be read. In that case the connection is closed.
    init(_ response: TestResponse, to request: RequestHead?) {
        self.response = response
        let isInterim = response.status < 200
        let isBodiless = isInterim || response.status == 204 || response.status == 304
        let names = response.fields.map { $0.0.lowercased() }
        let hasFraming = names.contains("content-length") || names.contains("transfer-encoding")
        let hasLength = response.body.length != nil && response.trailers.isEmpty
        let unbodied = isBodiless || request?.method == "HEAD"
        switch (hasLength, request?.version ?? "HTTP/1.1") {
        case _ where unbodied: framing = .none
        case (true, _): framing = .length
        case (false, "HTTP/1.1"): framing = .chunked
        case (false, _): framing = .close
        }
        addsFraming = !hasFraming && !isBodiless
        if case .close = framing { closes = true } else { closes = response.closes || request?.persists != true }
    }

    /// Returns the interim responses, and the head with its empty line.
    func head(_ allocator: ByteBufferAllocator, bodyBytes: Int = 0) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: 256 + bodyBytes)
        for interim in response.informational {
            buffer.writeStatusLine(interim.status, nil)
            buffer.writeFields(interim.fields)
            buffer.writeStaticString("\r\n")
        }
        buffer.writeStatusLine(response.status, response.reason)
        buffer.writeFields(response.fields)
        if addsFraming {
            if let length = response.body.length, response.trailers.isEmpty {
                buffer.writeStaticString("Content-Length: ")
                buffer.writeString(String(length))
                buffer.writeStaticString("\r\n")
            } else if case .close = framing {
                // The end of the connection frames the body, without a field.
            } else {
                buffer.writeStaticString("Transfer-Encoding: chunked\r\n")
            }
        }
        if closes { buffer.writeStaticString("Connection: close\r\n") }
        buffer.writeStaticString("\r\n")
        return buffer
    }

    /// Returns head and body in one buffer if the body is small, in memory and sent whole. Otherwise nil.
    func whole(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        if case .none = framing { return head(allocator) }
        guard response.trailers.isEmpty, response.abortsAfterBodyBytes == nil else { return nil }
        switch response.body.storage {
        case .bytes(let bytes):
            var buffer = head(allocator, bodyBytes: bytes.count)
            buffer.writeBytes(bytes)
            return buffer
        case .pattern(_, let count) where count <= ResponseBodySource.pieceBytes:
            var source = ResponseBodySource(response.body, limit: nil)
            var buffer = head(allocator, bodyBytes: count)
            if let piece = source.next(allocator) { buffer.writeImmutableBuffer(piece) }
            return buffer
        case .pattern, .chunks, .generated:
            return nil
        }
    }

    /// Returns the pieces of the body, including their framing.
    func pieces(_ allocator: ByteBufferAllocator) -> () -> ByteBuffer? {
        var source = ResponseBodySource(response.body, limit: response.abortsAfterBodyBytes)
        guard case .chunked = framing else { return { source.next(allocator) } }
        let trailers = response.trailers
        let isCut = response.abortsAfterBodyBytes != nil
        var isOver = false
        return {
            guard let piece = source.next(allocator) else {
                if isOver || isCut { return nil }
                isOver = true
                var end = allocator.buffer(capacity: 64)
                end.writeStaticString("0\r\n")
                end.writeFields(trailers)
                end.writeStaticString("\r\n")
                return end
            }
            var chunk = allocator.buffer(capacity: piece.readableBytes + 16)
            chunk.writeString(String(piece.readableBytes, radix: 16))
            chunk.writeStaticString("\r\n")
            chunk.writeImmutableBuffer(piece)
            chunk.writeStaticString("\r\n")
            return chunk
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func writeStatusLine(_ status: Int, _ reason: String?) {
        writeStaticString("HTTP/1.1 ")
        writeString(String(status))
        writeStaticString(" ")
        writeLatin1(reason ?? ReasonPhrase.of(status))
        writeStaticString("\r\n")
    }

    fileprivate mutating func writeFields(_ fields: [(String, String)]) {
        for (name, value) in fields {
            writeLatin1(name)
            writeStaticString(": ")
            writeLatin1(value)
            writeStaticString("\r\n")
        }
    }

    private mutating func writeLatin1(_ text: String) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { writeString(text) } else { writeBytes([UInt8](latin1: text)) }
    }
}
