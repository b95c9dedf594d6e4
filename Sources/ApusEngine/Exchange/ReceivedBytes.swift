internal import NIOCore

extension ByteBuffer {
    /// Received bytes, for use on another thread.
    ///
    /// SwiftNIO reuses this memory for reads as soon as no other reference exists, which it learns from reference
    /// counts. Thread Sanitizer does not see those and would report the next read as a race with the previous user of
    /// the bytes. Under it the bytes are copied.
    @inline(__always)
    var received: ByteBuffer {
        #if APUS_TSAN
            ByteBuffer(bytes: readableBytesView)
        #else
            self
        #endif
    }

    /// Appends received bytes to the rest of earlier ones. A buffer that only grows would keep all bytes that were read.
    mutating func appendReceived(_ incoming: inout ByteBuffer) {
        discardReadBytes()
        writeBuffer(&incoming)
    }
}
