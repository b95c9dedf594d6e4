internal import NIOCore

extension ByteBuffer {
    /// Bytes that were read, as they are handed on to whatever thread wants them.
    ///
    /// SwiftNIO reads into this memory again as soon as nobody else holds it, which it learns from the runtime's
    /// reference counts. The thread sanitizer does not see those, and would report the next read as a race with whoever
    /// had these bytes before: for it they are copied.
    @inline(__always)
    var received: ByteBuffer {
        #if APUS_TSAN
            ByteBuffer(bytes: readableBytesView)
        #else
            self
        #endif
    }
}
