internal import ApusCore
internal import NIOCore

/// How much a connection reads at once: little while little comes, twice as much when a read fills its buffer.
///
/// Large reads go to memory that begins at a line of the cache (`alignedBuffer`).
struct ReadSizes: RecvByteBufferAllocator {
    private static let smallest = 2 << 10
    private static let largest = 256 << 10
    /// From this size on, the memory is aligned.
    private static let leastAligned = 32 << 10

    private var size = 4 << 10
    /// Two small reads in a row make the next one smaller.
    private var wasSmall = false

    /// NIO keeps a buffer for small reads, and clears it, which loses the alignment. So a large one is made for each read:
    /// `malloc` has the same memory at hand once the last reader has let go of it.
    func nextBufferSize() -> Int? { size < Self.leastAligned ? size : nil }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        size >= Self.leastAligned ? allocator.alignedBuffer(capacity: size) : allocator.buffer(capacity: size)
    }

    /// Notes the size of a read, and returns whether NIO must ask for a new buffer before the next one.
    mutating func record(actualReadBytes: Int) -> Bool {
        if actualReadBytes > size - ByteBufferAllocator.lineBytes {
            size = min(size * 2, Self.largest)
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
