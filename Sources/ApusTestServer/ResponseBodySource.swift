internal import NIOCore

/// Produces the bytes of a response body piece by piece.
struct ResponseBodySource {
    /// The maximum size of a piece of the pattern.
    static let pieceBytes = 64 << 10
    /// The period of the pattern in bytes. It is a prime, so that a lost or duplicated piece is noticed.
    static let period = 251

    /// One piece plus one period, so that a piece at any offset is a slice of it.
    private static let patternBuffer = ByteBuffer(bytes: (0..<(pieceBytes + period)).map { UInt8($0 % period) })

    private let storage: TestResponse.Body.Storage
    private var index = 0
    private var sent = 0
    private var left: Int

    /// - Parameters:
    ///   - body: The body to send.
    ///   - limit: The number of bytes after which the body is cut off, or nil for the whole body.
    init(_ body: TestResponse.Body, limit: Int?) {
        storage = body.storage
        left = max(0, limit ?? .max)
    }

    /// Returns the next non-empty piece, or nil at the end.
    mutating func next(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        while left > 0, var piece = make(allocator) {
            index += 1
            sent += piece.readableBytes
            if piece.readableBytes > left { piece = piece.getSlice(at: piece.readerIndex, length: left) ?? piece }
            left -= piece.readableBytes
            if piece.readableBytes > 0 { return piece }
        }
        return nil
    }

    private func make(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        switch storage {
        case .bytes(let bytes):
            return index == 0 ? allocator.buffer(bytes: bytes) : nil
        case .chunks(let chunks):
            return index < chunks.count ? allocator.buffer(bytes: chunks[index]) : nil
        case .generated(_, let chunk):
            return chunk(index).map { allocator.buffer(bytes: $0) }
        case .pattern(let offset, let count):
            let length = min(Self.pieceBytes, count - sent)
            guard length > 0 else { return nil }
            return Self.patternBuffer.getSlice(at: (offset + sent) % Self.period, length: length)
        }
    }
}
