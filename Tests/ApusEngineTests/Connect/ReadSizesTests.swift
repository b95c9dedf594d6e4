import NIOCore
import Testing

@testable import ApusEngine

@Suite("How much a connection reads at once")
struct ReadSizesTests {
    private let allocator = ByteBufferAllocator()

    /// How much the next read may bring.
    private func room(_ sizes: ReadSizes) -> Int { sizes.buffer(allocator: allocator).writableBytes }

    @Test("grows while reads fill their buffer, to 256 KiB")
    func grows() {
        var sizes = ReadSizes()
        var rooms: [Int] = []
        for _ in 0..<9 {
            rooms.append(room(sizes))
            _ = sizes.record(actualReadBytes: room(sizes))
        }
        #expect(rooms.prefix(3) == [4 << 10, 8 << 10, 16 << 10])
        for (room, size) in zip(rooms.dropFirst(3), [32, 64, 128, 256, 256, 256].map { $0 << 10 }) {
            #expect((size - 63...size).contains(room))
        }
    }

    @Test("shrinks after two small reads in a row, to 2 KiB")
    func shrinks() {
        var sizes = ReadSizes()
        for _ in 0..<8 { _ = sizes.record(actualReadBytes: room(sizes)) }
        let largest = room(sizes)
        _ = sizes.record(actualReadBytes: 100)
        #expect(room(sizes) > largest * 3 / 4)
        _ = sizes.record(actualReadBytes: largest - 100)
        _ = sizes.record(actualReadBytes: 100)
        #expect(room(sizes) > largest * 3 / 4)
        _ = sizes.record(actualReadBytes: 100)
        #expect(room(sizes) < largest * 3 / 4)
        for _ in 0..<40 { _ = sizes.record(actualReadBytes: 100) }
        #expect(room(sizes) == 2 << 10)
    }

    @Test("puts large reads where a line of the cache begins, each time anew")
    func aligns() {
        var sizes = ReadSizes()
        while room(sizes) < 32 << 10 - 63 {
            let isAskedAnew = sizes.record(actualReadBytes: room(sizes))
            #expect(isAskedAnew == (sizes.nextBufferSize() == nil))
        }
        for _ in 0..<4 {
            #expect(sizes.nextBufferSize() == nil)
            var buffers = (0..<4).map { _ in sizes.buffer(allocator: allocator) }
            for index in buffers.indices {
                let address = buffers[index].withUnsafeMutableWritableBytes { UInt(bitPattern: $0.baseAddress) }
                #expect(address % 64 == 0)
                #expect(buffers[index].readableBytes == 0)
            }
            let isAskedAnew = sizes.record(actualReadBytes: room(sizes))
            #expect(isAskedAnew)
        }
    }
}
