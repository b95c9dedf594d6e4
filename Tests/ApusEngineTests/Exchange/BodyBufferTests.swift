internal import ApusCore
internal import NIOCore
internal import Testing

@testable internal import ApusEngine

/// Buffered bytes keep their order, and need little more memory than their size.
@Suite struct BodyBufferTests {
    private let counters = LiveCounters()

    private func buffer() -> BodyBuffer { BodyBuffer(counters: counters) }

    /// Returns a short slice of a long buffer, as a read produces.
    private func slice(_ bytes: [UInt8]) throws -> ByteBuffer {
        var read = ByteBuffer(repeating: 0, count: 100)
        read.writeBytes(bytes)
        read.reserveCapacity(minimumWritableBytes: 64 << 10)
        return try #require(read.getSlice(at: 100, length: bytes.count))
    }

    private func chunk(of buffer: BodyBuffer) throws -> BodyChunk? { try #require(buffer.take()).result.get() }

    @Test func keepsShortChunksTogether() throws {
        let buffer = buffer()
        for number in 0..<1000 { buffer.append(try slice([UInt8(truncatingIfNeeded: number)])) }
        let chunk = try #require(try chunk(of: buffer))
        #expect(Array(chunk.buffer.readableBytesView) == (0..<1000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(chunk.buffer.storageCapacity < 4 << 10)
        #expect(buffer.take() == nil)
    }

    @Test(arguments: [1, 3, 100, 2047, 2048, 5000]) func keepsTheOrder(length: Int) throws {
        let buffer = buffer()
        var expected: [UInt8] = []
        var found: [UInt8] = []
        for number in 0..<100 {
            let count = number.isMultiple(of: 7) ? 4000 : length
            let bytes = [UInt8](repeating: UInt8(number), count: count)
            expected += bytes
            buffer.append(try slice(bytes))
            if number.isMultiple(of: 13), let chunk = try chunk(of: buffer) { found += chunk.buffer.readableBytesView }
        }
        buffer.end(trailers: nil)
        while let chunk = try chunk(of: buffer) { found += chunk.buffer.readableBytesView }
        #expect(found == expected)
    }

    @Test func limitsTheSizeOfCombinedChunks() throws {
        let buffer = buffer()
        for _ in 0..<100 { buffer.append(try slice([UInt8](repeating: 1, count: 2000))) }
        var longest = 0
        while let next = buffer.take(), let chunk = try next.result.get() { longest = max(longest, chunk.count) }
        #expect(longest > 10_000)
        #expect(longest < 20_000)
    }

    @Test func stopsReadingAt256KiB() throws {
        let buffer = buffer()
        for _ in 0..<(256 << 10) - 1 { buffer.append(ByteBuffer(integer: UInt8(1))) }
        #expect(!buffer.holdsReading())
        buffer.append(ByteBuffer(integer: UInt8(1)))
        #expect(buffer.holdsReading())
    }

    @Test func passesAChunkDirectlyToAWaitingReader() async throws {
        let buffer = buffer()
        let bytes = try slice([1, 2])
        let result = await withUnsafeContinuation { reader in
            #expect(!buffer.wait(reader))
            #expect(counters.count(of: .continuations) == 1)
            buffer.append(bytes)
        }
        #expect(try result.get() == BodyChunk([1, 2]))
        #expect(counters.nonZero.isEmpty)
    }

    @Test func resumesAReaderWithTheLastChunkOfARead() async throws {
        let buffer = buffer()
        let (first, second) = (try slice([1]), try slice([2]))
        let result = await withUnsafeContinuation { reader in
            #expect(!buffer.wait(reader))
            buffer.append(first, isFollowed: true)
            #expect(counters.count(of: .continuations) == 1)
            buffer.append(second)
        }
        let chunk = try #require(try result.get())
        // The waiting reader lets chunks be combined no more than a read does.
        #expect(chunk == BodyChunk([1]) && chunk.isFollowed)
        let last = try #require(try self.chunk(of: buffer))
        #expect(last == BodyChunk([2]) && !last.isFollowed)
        #expect(counters.nonZero.isEmpty)
    }

    /// A peer can fill a read with frames of one byte.
    @Test func keepsShortChunksOfAReadTogetherWhileAReaderWaits() async throws {
        let buffer = buffer()
        let pieces = try (0..<1000).map { try slice([UInt8(truncatingIfNeeded: $0)]) }
        let result = await withUnsafeContinuation { (reader: BodyBuffer.Reader) in
            #expect(!buffer.wait(reader))
            for (index, piece) in pieces.enumerated() {
                buffer.append(piece, isFollowed: index < pieces.count - 1)
            }
        }
        #expect(try result.get() == BodyChunk([0]))
        let rest = try #require(try chunk(of: buffer))
        #expect(Array(rest.buffer.readableBytesView) == (1..<1000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(rest.buffer.storageCapacity < 4 << 10)
        #expect(buffer.take() == nil)
        #expect(counters.nonZero.isEmpty)
    }

    /// The reader is not resumed by a chunk that another one follows, but by its own cancellation.
    @Test func resumesACancelledReaderBetweenTheChunksOfARead() async throws {
        let buffer = buffer()
        let bytes = try slice([1])
        let result = await withUnsafeContinuation { (reader: BodyBuffer.Reader) in
            #expect(!buffer.wait(reader))
            buffer.append(bytes, isFollowed: true)
            buffer.cancel(ApusError(.cancelled, "no"))
            buffer.append(bytes)
        }
        let error = #expect(throws: ApusError.self) { try result.get() }
        #expect(error?.code == .cancelled)
        #expect(counters.nonZero.isEmpty)
    }

    @Test func rejectsASecondReaderAndKeepsTheFirst() async throws {
        let buffer = buffer()
        async let first = withUnsafeContinuation { _ = buffer.wait($0) }
        while counters.nonZero.isEmpty { await Task.yield() }
        let second = await withUnsafeContinuation { _ = buffer.wait($0) }
        #expect(throws: ApusError.self) { try second.get() }
        buffer.end(trailers: nil)
        #expect(try await first.get() == nil)
        #expect(counters.nonZero.isEmpty)
    }
}
