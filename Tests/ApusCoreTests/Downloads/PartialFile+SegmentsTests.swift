internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// A part that is written at several places, with a journal that stores which bytes have arrived.
@Suite(.timeLimit(.minutes(5))) struct PartialFileSegmentsTests: PartialFileMaking {
    let counters = LiveCounters()
    private let clock = ManualClock()
    private let empty = PartialFileRecord(
        url: "http://h/file",
        validator: .entityTag("\"1\""),
        total: 9,
        segments: ReceivedRanges()
    )

    private func makeJournal(_ part: PartialFile, limitBytes: Int64 = 100) -> SegmentJournal {
        SegmentJournal(part, AnySessionClock(clock), limitBytes: limitBytes)
    }

    private func write(_ text: String, at offset: Int64, _ journal: SegmentJournal) async throws {
        let writer = journal.writer(at: offset)
        for character in text { try await writer.append(BodyChunk(String(character))) }
        try await writer.drain()
    }

    private func stored(_ file: URL) -> [Range<Int64>]? {
        PartialFileRecord.read(at: file.path + ".part.json")?.segments?.ranges
    }

    @Test func writesAtSeveralPlaces() async throws {
        try await withFile { folder, file in
            let part = try makePart(file)
            try await part.begin(empty)
            let journal = makeJournal(part)
            try await write("def", at: 3, journal)
            #expect(part.received.ranges == [3..<6])
            #expect(stored(file) == [])
            try await write("gh", at: 6, journal)
            try await write("ab", at: 0, journal)
            #expect(part.received.ranges == [0..<2, 3..<8])
            try await journal.end(saves: true)
            #expect(stored(file) == [0..<2, 3..<8])
            #expect(part.byteCount == 8)
            try await write("c", at: 2, journal)
            try await write("i", at: 8, journal)
            try await journal.end(saves: false)
            #expect(part.received == ReceivedRanges(first: 9))
            #expect(part.byteCount == 9)
            try await part.place()
            #expect(try text(file) == "abcdefghi")
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    /// The chunks of several writers fill their queue several times.
    @Test func writesSegmentsAtTheSameTime() async throws {
        try await withFile { folder, file in
            let part = try makePart(file)
            var record = empty
            let (chunkBytes, chunkCount) = (100 << 10, 30)
            let segmentBytes = chunkBytes * chunkCount
            record.total = Int64(4 * segmentBytes)
            try await part.begin(record)
            let journal = makeJournal(part, limitBytes: 1 << 20)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<4 {
                    group.addTask {
                        let writer = journal.writer(at: Int64(index * segmentBytes))
                        let chunk = BodyChunk([UInt8](repeating: UInt8(ascii: "a") + UInt8(index), count: chunkBytes))
                        for _ in 0..<chunkCount { try await writer.append(chunk) }
                        try await writer.drain()
                    }
                }
                try await group.waitForAll()
            }
            try await journal.end(saves: true)
            #expect(part.received == ReceivedRanges(first: Int64(4 * segmentBytes)))
            let data = try Data(contentsOf: part.url)
            var expected = Data()
            for byte in "abcd".utf8 { expected.append(Data(repeating: byte, count: segmentBytes)) }
            let isRight = data == expected
            #expect(isRight)
            await part.discard()
            #expect(try names(in: folder) == [])
        }
    }

    // MARK: Kills

    /// The record on the disk has the bytes up to the latest save, and no others.
    @Test func leavesTheSavedSegments() async throws {
        try await withFile { folder, file in
            do {
                let part = try makePart(file)
                try await part.begin(empty)
                let journal = makeJournal(part, limitBytes: 3)
                try await write("def", at: 3, journal)
                try await journal.end(saves: false)
                try await write("ab", at: 0, journal)
                #expect(part.received.ranges == [0..<2, 3..<6])
            }
            #expect(await eventually { counters.nonZero == [:] })
            #expect(stored(file) == [3..<6])
            let part = try makePart(file)
            #expect(part.received.ranges == [3..<6])
            #expect(part.record?.validator == empty.validator)
            await part.discard()
            #expect(try names(in: folder) == [])
        }
    }

    @Test func savesAfterASecond() async throws {
        try await withFile { folder, file in
            let part = try makePart(file)
            try await part.begin(empty)
            let journal = makeJournal(part)
            clock.advance(by: .milliseconds(999))
            try await write("a", at: 0, journal)
            try await journal.end(saves: false)
            #expect(stored(file) == [])
            clock.advance(by: .milliseconds(1))
            try await write("d", at: 3, journal)
            try await journal.end(saves: false)
            #expect(stored(file) == [0..<1, 3..<4])
            await part.discard()
        }
    }

    @Test func forgetsSegmentsThatAreNotInTheFile() async throws {
        try await withFile { folder, file in
            let part = try makePart(file)
            try await part.begin(empty)
            let journal = makeJournal(part)
            try await write("abcdef", at: 0, journal)
            try await write("i", at: 8, journal)
            try await journal.end(saves: true)
            await part.keep()
            let handle = try FileHandle(forWritingTo: part.url)
            try handle.truncate(atOffset: 4)
            try handle.close()
            let again = try makePart(file)
            #expect(again.received == ReceivedRanges(first: 4))
            await again.discard()
        }
    }

    @Test func hasNoBytesBeforeTheFirstSave() async throws {
        try await withFile { folder, file in
            do {
                let part = try makePart(file)
                try await part.begin(empty)
                try await write("def", at: 3, makeJournal(part))
            }
            #expect(await eventually { counters.nonZero == [:] })
            let part = try makePart(file)
            #expect(part.byteCount == 6)
            #expect(part.received.isEmpty && !part.hasUnknownOrigin)
            await part.discard()
        }
    }

    // MARK: With and without segments

    @Test func continuesTheBeginningWithoutSegments() async throws {
        try await withFile { folder, file in
            let part = try makePart(file)
            try await part.begin(empty)
            let journal = makeJournal(part)
            try await write("abc", at: 0, journal)
            try await write("gh", at: 6, journal)
            try await journal.end(saves: true)
            let error = await failure { try await part.resume(at: 4) }
            #expect(error?.code == .fileUnwritable)
            #expect(part.received.ranges == [0..<3, 6..<8])
            try await part.resume(at: 3)
            #expect(part.byteCount == 3)
            #expect(part.received == ReceivedRanges(first: 3))
            let record = try #require(PartialFileRecord.read(at: file.path + ".part.json"))
            #expect(record.segments == nil && record.validator == empty.validator)
            try await part.write(["defghi"])
            #expect(part.received == ReceivedRanges(first: 9))
            try await part.place()
            #expect(try text(file) == "abcdefghi")
        }
    }

    @Test func dividesAPart() async throws {
        try await withFile { folder, file in
            let part = try makePart(file)
            try await part.begin(PartialFileRecord(url: "http://h/file", validator: empty.validator, total: 9))
            try await part.write(["abc"])
            #expect(part.received == ReceivedRanges(first: 3))
            try await part.divide()
            #expect(stored(file) == [0..<3])
            let journal = makeJournal(part)
            try await write("ghi", at: 6, journal)
            try await journal.end(saves: false)
            #expect(part.received.ranges == [0..<3, 6..<9])
            try await part.divide()
            #expect(part.received.ranges == [0..<3, 6..<9])
            await part.discard()
        }
    }

    @Test func keepsItsSegmentsForAnotherDestination() async throws {
        try await withFile { folder, file in
            let part = try makePart(file)
            try await part.begin(empty)
            let journal = makeJournal(part)
            try await write("ghi", at: 6, journal)
            try await journal.end(saves: false)
            #expect(stored(file) == [])
            let other = folder.appending(path: "other")
            let moved = try part.retargeted(to: other, replaces: true, makesFolders: false)
            #expect(moved.received.ranges == [6..<9])
            await moved.settleSegments()
            await moved.keep()
            #expect(stored(file) == [6..<9])
            #expect(counters.nonZero == [:])
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func reportsAFullDisk() async throws {
        try await withFile { folder, file in
            let part = try makePartOnAFullDisk(file)
            let journal = makeJournal(part)
            let error = await failure { try await write("abc", at: 3, journal) }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail == "'\(file.path)' can't be written: No space left on device")
            #expect(part.received.isEmpty)
            await part.keep()
            #expect(counters.nonZero == [:])
        }
    }
}
