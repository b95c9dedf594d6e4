package import HTTPTypes
package import NIOCore

/// A frame received from the server, without its padding.
package enum HTTP2Frame: Sendable, Equatable {
    /// A part of a DATA frame. It shares the storage of the received bytes.
    ///
    /// `flowControlled` counts for flow control. The values of all parts of a frame add up to its payload length: the
    /// last part includes the padding and the byte with its length. Only the last part has `endStream`. It may be empty.
    case data(stream: Int32, ByteBuffer, flowControlled: Int, endStream: Bool)
    /// A complete header block. CONTINUATION frames are joined, the priority is removed.
    case headers(stream: Int32, block: ByteBuffer, endStream: Bool)
    case priority(stream: Int32)
    case reset(stream: Int32, HTTP2ErrorCode)
    /// The settings in the order received, with repetitions and unknown ones.
    case settings([HTTP2Setting])
    case settingsAcknowledged
    /// The block of the promise is dropped, so the connection must end: the header table would be wrong.
    case pushPromise(stream: Int32, promised: Int32)
    case ping(UInt64)
    case pingAcknowledged(UInt64)
    /// `debug` is the text that the server sent, at most 200 bytes. Control characters and bytes that are not UTF-8 are
    /// left out.
    case goAway(lastStream: Int32, HTTP2ErrorCode, debug: String)
    /// Stream 0 is the connection. The increment may be 0, which is an error of the stream or the connection.
    case windowUpdate(stream: Int32, increment: Int)
    /// A frame of an unknown type.
    case unknown
}
