internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct FileChunksTests {
    private static let chunkBytes = 508 << 10

    private func withFile(of count: Int, _ work: (URL, Data) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) })
        try data.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try await work(url, data)
    }

    private func truncate(_ url: URL, to length: UInt64) throws {
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: length)
        try handle.close()
    }

    private func code(_ work: () async throws -> some Any) async -> ApusError.Code? {
        do {
            _ = try await work()
            return nil
        } catch {
            return (error as? ApusError)?.code
        }
    }

    @Test(arguments: [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, 1_400_000])
    func readsAFileInChunks(count: Int) async throws {
        try await withFile(of: count) { url, data in
            var read = Data()
            for try await chunk in FileChunks(try FileContent(url, range: nil)) {
                #expect((1...Self.chunkBytes).contains(chunk.count))
                read.append(chunk)
            }
            #expect(read == data)
        }
    }

    @Test(arguments: [0..<0, 5..<5, 0..<10, 5..<300_001, 600_000..<700_000])
    func readsAPartOfAFile(range: Range<Int64>) async throws {
        try await withFile(of: 700_000) { url, data in
            var read = Data()
            for try await chunk in FileChunks(try FileContent(url, range: range)) { read.append(chunk) }
            #expect(read == data[Int(range.lowerBound)..<Int(range.upperBound)])
        }
    }

    @Test(arguments: [0, 10]) func detectsChangesWhenTheFileIsOpened(count: Int) async throws {
        try await withFile(of: count) { url, data in
            let file = try FileContent(url, range: nil)
            try (data + Data([1])).write(to: url)
            var changed = FileChunks(file).makeAsyncIterator()
            #expect(await code { try await changed.next() } == .fileChanged)
            try FileManager.default.removeItem(at: url)
            var vanished = FileChunks(file).makeAsyncIterator()
            #expect(await code { try await vanished.next() } == .fileUnreadable)
        }
    }

    @Test func detectsATruncatedFile() async throws {
        try await withFile(of: 6 * Self.chunkBytes) { url, data in
            var iterator = FileChunks(try FileContent(url, range: nil)).makeAsyncIterator()
            #expect(try await iterator.next()?.count == Self.chunkBytes)
            try truncate(url, to: UInt64(3 * Self.chunkBytes))
            #expect(try await iterator.next()?.count == Self.chunkBytes)
            #expect(try await iterator.next()?.count == Self.chunkBytes)
            #expect(await code { try await iterator.next() } == .fileChanged)
        }
    }

    /// The size stays the same.
    @Test(arguments: [true, false]) func detectsChangesOfAWatchedFileWhileItIsRead(isWatched: Bool) async throws {
        try await withFile(of: 4 * Self.chunkBytes) { url, _ in
            let file = try FileContent(url, range: nil)
            var iterator = FileChunks(isWatched ? file.watched : file).makeAsyncIterator()
            #expect(try await iterator.next()?.count == Self.chunkBytes)
            let handle = try FileHandle(forWritingTo: url)
            try handle.write(contentsOf: Data([1]))
            try handle.close()
            // Both times may be within one tick of the clock of the file system.
            let attributes: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: 1)]
            try FileManager.default.setAttributes(attributes, ofItemAtPath: url.path(percentEncoded: false))
            let failure = await code { () async throws -> Bool in
                while try await iterator.next() != nil {}
                return true
            }
            #expect(failure == (isWatched ? .fileChanged : nil))
        }
    }

    @Test func readsNoMoreThanTheOriginalLength() async throws {
        try await withFile(of: 2 * Self.chunkBytes) { url, data in
            var iterator = FileChunks(try FileContent(url, range: nil)).makeAsyncIterator()
            var read = Data()
            while let chunk = try await iterator.next() {
                read.append(chunk)
                try truncate(url, to: UInt64(4 * Self.chunkBytes))
            }
            #expect(read == data)
            #expect(try await iterator.next() == nil)
        }
    }

    @Test func closesTheFileAtItsEndAndWhenTheIteratorIsReleased() async throws {
        let counters = LiveCounters()
        try await withFile(of: 2 * Self.chunkBytes) { url, data in
            let chunks = FileChunks(try FileContent(url, range: nil), counters: counters)
            var iterator = Optional(chunks.makeAsyncIterator())
            #expect(counters.nonZero == [:])
            _ = try await iterator?.next()
            #expect(counters.nonZero == ["files": 1])
            while try await iterator?.next() != nil {}
            while counters.nonZero != [:] { await Task.yield() }
            iterator = chunks.makeAsyncIterator()
            _ = try await iterator?.next()
            #expect(counters.nonZero == ["files": 1])
            iterator = nil
            while counters.nonZero != [:] { await Task.yield() }
        }
    }

    /// Files in procfs contain bytes although their size is 0.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")))
    func readsAFileWithoutASizeToItsEnd() async throws {
        let counters = LiveCounters()
        let file = try FileContent(URL(filePath: "/proc/self/status"), range: nil)
        #expect(file.length == nil && file.range == nil)
        // Each iteration starts at the first byte.
        for _ in 1...2 {
            var read = Data()
            for try await chunk in FileChunks(file, counters: counters) { read.append(chunk) }
            let text = String(decoding: read, as: UTF8.self)
            #expect(text.hasPrefix("Name:") && text.contains("\nPid:") && text.hasSuffix("\n"))
        }
        while counters.nonZero != [:] { await Task.yield() }
        #expect(try RequestBody.file(file.url).isReplayable)
        #expect(try FileContent(file.url, range: 0..<0).length == 0)
        #expect(await code { try FileContent(file.url, range: 0..<1) } == .fileUnreadable)
    }

    /// A file that is longer than one read: the memory map of this process is long enough.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/maps")))
    func readsALongFileWithoutASize() async throws {
        var chunks = 0
        var read = Data()
        for try await chunk in FileChunks(try FileContent(URL(filePath: "/proc/self/maps"), range: nil)) {
            read.append(chunk)
            chunks += 1
        }
        #expect(chunks > 1 && read.last == 0x0A)
        #expect(String(decoding: read, as: UTF8.self).split(separator: "\n").allSatisfy { $0.contains("-") })
    }

    @Test func reportsALengthOfZeroForAnEmptyFile() async throws {
        try await withFile(of: 0) { url, _ in
            let file = try FileContent(url, range: nil)
            #expect(file.length == 0 && file.range == 0..<0)
        }
    }
}
