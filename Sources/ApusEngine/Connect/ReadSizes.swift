internal import ApusCore
internal import NIOCore

/// Sets the size of a connection's reads. It doubles when a read fills its buffer and halves after two small reads.
///
/// Large reads use memory that begins at a cache line (`alignedBuffer`).
struct ReadSizes: RecvByteBufferAllocator {
    private static let smallest = 2 << 10
    private static let largest = 256 << 10
    /// From this size on, the memory is aligned.
    private static let leastAligned = 32 << 10

    private var size = 4 << 10
    /// Two small reads in a row make the next one smaller.
    private var wasSmall = false

    /// Lets glibc keep the memory of large reads. Its heaps give free memory at their end back to the system above twice
    /// the size of the largest block that was freed so far, at first 128 KiB. The pages are then needed again for the next
    /// reads, and each costs as much as a copy into it. Programs that have set the limit themselves are not affected.
    private static let keepsFreedMemory: Void = {
        _ = ByteBufferAllocator().buffer(capacity: 2 << 20)
    }()

    /// Returns `nil` for large reads, so that each gets a new buffer: NIO reuses its own, but clearing it loses the
    /// alignment. `malloc` returns the same memory again once its last reader has released it.
    func nextBufferSize() -> Int? { size < Self.leastAligned ? size : nil }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        size >= Self.leastAligned ? allocator.alignedBuffer(capacity: size) : allocator.buffer(capacity: size)
    }

    /// Notes the size of a read, and returns whether NIO must ask for a new buffer before the next one.
    mutating func record(actualReadBytes: Int) -> Bool {
        if actualReadBytes > size - ByteBufferAllocator.lineBytes {
            size = min(size * 2, Self.largest)
            if size >= Self.leastAligned { Self.keepsFreedMemory }
            wasSmall = false
        } else if actualReadBytes <= size / 2, size > Self.smallest {
            if wasSmall { size /= 2 }
            wasSmall.toggle()
        } else {
            wasSmall = false
        }
        return size >= Self.leastAligned
    }
}
