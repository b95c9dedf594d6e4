internal import NIOCore

/// Tracks TLS record boundaries ahead of the decrypting handler, so that a connection knows whether a read ended
/// between two records.
final class TLSRecordTracker: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var boundary = TLSRecordBoundary()
    /// Called after each read, even if it had no decrypted bytes.
    var readEnded: (() -> Void)?

    /// The tracker of the connection inside this one: TLS with the origin, inside TLS with a proxy.
    weak var inner: TLSRecordTracker?

    /// Whether a part of a record has arrived, after the last one that was decrypted.
    var isInsideRecord: Bool { boundary.isInsideRecord || inner?.isInsideRecord == true }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        buffer.withUnsafeReadableBytes { boundary.advance(over: $0) }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        readEnded?()
    }
}

/// The position in a stream of TLS records, RFC 8446 §5.1. Each record has a 5-byte header that ends with its length.
struct TLSRecordBoundary {
    private static let headerBytes = 5

    private var headerBytes = 0
    private var length = 0

    /// Whether a record has begun and not ended.
    private(set) var isInsideRecord = false

    mutating func advance(over bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            if headerBytes < Self.headerBytes {
                if headerBytes >= 3 { length = length << 8 | Int(bytes[index]) }
                headerBytes += 1
                index += 1
            } else {
                let step = min(length, bytes.count - index)
                length -= step
                index += step
            }
            if headerBytes == Self.headerBytes, length == 0 { headerBytes = 0 }
        }
        isInsideRecord = headerBytes > 0
    }
}
