internal import NIOCore

/// How much a connection reads at once: little while little comes, twice as much when a read fills its buffer.
///
/// Large reads go to memory that begins at a line of the cache. The system copies with one instruction, and processors
/// of the Zen family run it four to eight times slower where the target begins a few bytes further into its page than
/// the source does. `malloc` puts large blocks 16 bytes into a page, and the pages of a file that is sent begin at 0.
struct ReadSizes: RecvByteBufferAllocator {
    private static let smallest = 2 << 10
    private static let largest = 256 << 10
    /// From this size on, the memory is aligned.
    private static let leastAligned = 32 << 10
    private static let lineBytes = 64

    private var size = 4 << 10
    /// Two small reads in a row make the next one smaller.
    private var wasSmall = false

    /// NIO keeps a buffer for small reads, and clears it, which loses the alignment. So a large one is made for each read:
    /// `malloc` has the same memory at hand once the last reader has let go of it.
    func nextBufferSize() -> Int? { size < Self.leastAligned ? size : nil }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: size)
        guard size >= Self.leastAligned else { return buffer }
        let address = buffer.withUnsafeMutableWritableBytes { Int(bitPattern: $0.baseAddress) }
        let offset = -address & (Self.lineBytes - 1)
        buffer.moveWriterIndex(to: offset)
        buffer.moveReaderIndex(to: offset)
        return buffer
    }

    /// Notes the size of a read, and returns whether NIO must ask for a new buffer before the next one.
    mutating func record(actualReadBytes: Int) -> Bool {
        if actualReadBytes > size - Self.lineBytes {
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
