internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Chunks are written once, in order, and as few at a time as the reader allows.
@Suite(.timeLimit(.minutes(5))) struct FileWriterTests {
    private let queue = DispatchQueue(label: "apus.file-writer-tests")

    private func chunk(_ text: String, isFollowed: Bool = false) -> BodyChunk {
        var chunk = BodyChunk(text)
        chunk.isFollowed = isFollowed
        return chunk
    }

    /// Opens a new file for a writer.
    private func withFile(
        at offset: Int64? = nil,
        digest: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil,
        written: (@Sendable (Range<Int64>) -> Void)? = nil,
        _ body: (FileWriter, URL) async throws -> Void
    ) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try Data().write(to: file)
            let handle = try FileHandle(forUpdating: file)
            let writer = FileWriter(
                handle.fileDescriptor,
                at: offset,
                on: queue,
                digest: digest,
                written: written
            ) { ApusError(.fileUnwritable, "errno \($0)") }
            try await body(writer, file)
            try handle.close()
        }
    }

    @Test func writesMoreChunksThanOneSystemCallTakes() async throws {
        let digested = Lock(Data())
        let digest: @Sendable (UnsafeRawBufferPointer) -> Void = { bytes in
            digested.withLock { $0.append(contentsOf: bytes) }
        }
        try await withFile(digest: digest) { writer, file in
            // All chunks are written by one turn, since the queue is busy until then.
            let gate = DispatchSemaphore(value: 0)
            queue.async { gate.wait() }
            var expected = Data()
            for number in 0..<3000 {
                let text = number.isMultiple(of: 7) ? "" : "\(number),"
                expected.append(contentsOf: text.utf8)
                try await writer.append(chunk(text))
            }
            gate.signal()
            try await writer.drain()
            #expect(try Data(contentsOf: file) == expected)
            #expect(digested.withLock { $0 } == expected)
        }
    }

    @Test func keepsAChunkUntilItsSuccessorOrTheEnd() async throws {
        try await withFile { writer, file in
            try await writer.append(chunk("a", isFollowed: true))
            queue.sync {}
            #expect(try text(file) == "")
            try await writer.append(chunk("b"))
            queue.sync {}
            #expect(try text(file) == "ab")
            try await writer.append(chunk("c", isFollowed: true))
            try await writer.drain()
            #expect(try text(file) == "abc")
            try await writer.drain()
            #expect(try text(file) == "abc")
        }
    }

    @Test func writes128KiBAtOnce() async throws {
        try await withFile { writer, file in
            let piece = String(repeating: "x", count: 64 << 10)
            try await writer.append(chunk(piece, isFollowed: true))
            try await writer.append(chunk(piece, isFollowed: true))
            queue.sync {}
            #expect(try Data(contentsOf: file).count == 128 << 10)
            try await writer.drain()
        }
    }

    @Test func reportsTheRangesOfEachTurn() async throws {
        let ranges = Lock<[Range<Int64>]>([])
        try await withFile(at: 4, written: { range in ranges.withLock { $0.append(range) } }) { writer, file in
            try await writer.append(chunk("one", isFollowed: true))
            try await writer.append(chunk("two"))
            try await writer.drain()
            try await writer.append(chunk("three"))
            try await writer.drain()
            #expect(ranges.withLock { $0 } == [4..<10, 10..<15])
            #expect(try text(file) == "\0\0\0\0onetwothree")
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func writesNothingAfterAFailure() async throws {
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        let writer = FileWriter(full.fileDescriptor, on: queue) { ApusError(.fileUnwritable, "errno \($0)") }
        try await writer.append(chunk("a", isFollowed: true))
        let error = await #expect(throws: ApusError.self) { try await writer.drain() }
        #expect(error?.detail == "errno \(ENOSPC)")
        await #expect(throws: ApusError.self) { try await writer.append(chunk("b")) }
        try full.close()
    }

    @Test(arguments: [(0, 1), (1, 2), (3, 4), (4, 5), (9, 10)])
    func skipsWrittenBytes(count: Int, next: Int) throws {
        // Pieces of 3, 1, 0 and 6 bytes, and their end.
        var bytes = (1...10).map { UInt8($0) }
        try bytes.withUnsafeMutableBytes { memory in
            let base = try #require(memory.baseAddress)
            let lengths = [(0, 3), (3, 1), (4, 0), (4, 6)]
            var vectors = lengths.map { iovec(iov_base: base + $0.0, iov_len: $0.1) }[...]
            vectors.skip(count)
            let rest = vectors.filter { $0.iov_len > 0 }
            #expect(rest.reduce(0) { $0 + $1.iov_len } == 10 - count)
            #expect(rest.first?.iov_base?.load(as: UInt8.self) == UInt8(next))
            vectors.skip(10 - count)
            #expect(vectors.allSatisfy { $0.iov_len == 0 })
        }
    }
}
