import NIOCore
import Testing

@testable import ApusEngine

@Suite("The size of a connection's read buffer")
struct ReadSizesTests {
    private let allocator = ByteBufferAllocator()

    /// Returns the size of the next read buffer.
    private func capacity(_ sizes: ReadSizes) -> Int { sizes.buffer(allocator: allocator).writableBytes }

    @Test("grows while reads fill their buffer, to 256 KiB")
    func grows() {
        var sizes = ReadSizes()
        var capacities: [Int] = []
        for _ in 0..<9 {
            capacities.append(capacity(sizes))
            _ = sizes.record(actualReadBytes: capacity(sizes))
        }
        #expect(capacities.prefix(3) == [4 << 10, 8 << 10, 16 << 10])
        for (capacity, size) in zip(capacities.dropFirst(3), [32, 64, 128, 256, 256, 256].map { $0 << 10 }) {
            #expect((size - 63...size).contains(capacity))
        }
    }

    @Test("shrinks after two small reads in a row, to 2 KiB")
    func shrinks() {
        var sizes = ReadSizes()
        for _ in 0..<8 { _ = sizes.record(actualReadBytes: capacity(sizes)) }
        let largest = capacity(sizes)
        _ = sizes.record(actualReadBytes: 100)
        #expect(capacity(sizes) > largest * 3 / 4)
        _ = sizes.record(actualReadBytes: largest - 100)
        _ = sizes.record(actualReadBytes: 100)
        #expect(capacity(sizes) > largest * 3 / 4)
        _ = sizes.record(actualReadBytes: 100)
        #expect(capacity(sizes) < largest * 3 / 4)
        for _ in 0..<40 { _ = sizes.record(actualReadBytes: 100) }
        #expect(capacity(sizes) == 2 << 10)
    }

    @Test("aligns large reads with cache lines, in a new buffer each time")
    func aligns() {
        var sizes = ReadSizes()
        while capacity(sizes) < 32 << 10 - 63 {
            let needsNewBuffer = sizes.record(actualReadBytes: capacity(sizes))
            #expect(needsNewBuffer == (sizes.nextBufferSize() == nil))
        }
        for _ in 0..<4 {
            #expect(sizes.nextBufferSize() == nil)
            var buffers = (0..<4).map { _ in sizes.buffer(allocator: allocator) }
            for index in buffers.indices {
                let address = buffers[index].withUnsafeMutableWritableBytes { UInt(bitPattern: $0.baseAddress) }
                #expect(address % 64 == 0)
                #expect(buffers[index].readableBytes == 0)
            }
            let needsNewBuffer = sizes.record(actualReadBytes: capacity(sizes))
            #expect(needsNewBuffer)
        }
    }
}
