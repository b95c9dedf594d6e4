internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Tests the writing of a part. `PartialFileOpeningTests` and `PartialFilePlacingTests` test its beginning and its end.
@Suite(.timeLimit(.minutes(5))) struct PartialFileTests: PartialFileMaking {
    let counters = LiveCounters()
    private let record = PartialFileRecord.numbered(1)

    /// Leaves a part with bytes.
    private func leave(_ chunks: [String], of record: PartialFileRecord, for file: URL) async throws {
        let part = try makePart(file)
        try await part.begin(record)
        try await part.write(chunks)
        await part.keep()
    }

    @Test func writesBesideItsDestination() async throws {
        try await withFile { folder, file in
            let part = try makePart(file)
            #expect(part.destination == file)
            #expect(part.url.path == file.path + ".part")
            #expect(part.byteCount == 0 && part.record == nil && !part.hasUnknownOrigin)
            #expect(try names(in: folder) == ["file.part"])
            try await part.begin(record)
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
            #expect(try await part.write(["abc", "", "def"]) == 6)
            #expect(part.byteCount == 6 && part.record == record && !part.hasUnknownOrigin)
            #expect(try text(part.url) == "abcdef")
            #expect(counters.nonZero == ["files": 1])
            try await part.synchronize()
            try await part.place()
            #expect(part.url == file)
            #expect(try text(file) == "abcdef")
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    @Test func keepsNoRecordOfARandomPart() async throws {
        try await withFile { folder, file in
            let part = try makePart(file, .random)
            let name = part.url.lastPathComponent
            #expect(name.hasPrefix(".apus-") && name.hasSuffix(".part"))
            try await part.begin(record)
            try await part.write(["abc"])
            #expect(part.record == record && !part.hasUnknownOrigin)
            #expect(try names(in: folder) == [name])
            await part.keep()
            #expect(try names(in: folder) == [name])
            let resumed = try PartialFile(resuming: part.url, for: file, counters: counters)
            #expect(resumed.byteCount == 3 && resumed.record == nil && resumed.hasUnknownOrigin)
            try await resumed.write(["def"])
            try await resumed.place()
            #expect(try text(file) == "abcdef")
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    // MARK: Continuing

    @Test(arguments: [(3, "abcdef"), (2, "abdef"), (0, "def")]) func continuesAPart(
        offset: Int64,
        expected: String
    ) async throws {
        try await withFile { folder, file in
            try await leave(["abc"], of: record, for: file)
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
            let part = try makePart(file)
            #expect(part.byteCount == 3 && part.record == record && !part.hasUnknownOrigin)
            try await part.resume(at: offset)
            #expect(part.byteCount == offset && part.record == record)
            #expect(try await part.write(["d", "ef"]) == offset + 3)
            try await part.place()
            #expect(try text(file) == expected)
            #expect(try names(in: folder) == ["file"])
        }
    }

    @Test(arguments: [-1, 4, .max] as [Int64]) func continuesNoPartBeyondItsEnd(offset: Int64) async throws {
        try await withFile { folder, file in
            try await leave(["abc"], of: record, for: file)
            let part = try makePart(file)
            let error = await failure { try await part.resume(at: offset) }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail == "'\(file.path).part' has 3 bytes, so it can't be continued at byte \(offset)")
            #expect(try await part.write(["d"]) == 4)
            #expect(try text(part.url) == "abcd")
            await part.discard()
        }
    }

    @Test func beginsAnew() async throws {
        try await withFile { folder, file in
            try await leave(["abcdef"], of: record, for: file)
            let part = try makePart(file)
            let other = PartialFileRecord.numbered(2)
            try await part.begin(other)
            #expect(part.byteCount == 0 && part.record == other)
            #expect(try text(part.url) == "")
            #expect(PartialFileRecord.read(at: file.path + ".part.json") == other)
            #expect(try await part.write(["x"]) == 1)
            try await part.begin(record)
            #expect(try await part.write(["yz"]) == 2)
            try await part.place()
            #expect(try text(file) == "yz")
        }
    }

    @Test func passesItsBytesForADigest() async throws {
        try await withFile { folder, file in
            let chunks = (0..<30).map { String(repeating: "\($0 % 10)", count: 50_001) }
            try await leave(chunks, of: record, for: file)
            let part = try makePart(file)
            var bytes = Data()
            try await part.readThrough { bytes.append(contentsOf: $0) }
            let isWhole = bytes == Data(chunks.joined().utf8)
            #expect(isWhole)
            try await part.begin(record)
            bytes = Data()
            try await part.readThrough { bytes.append(contentsOf: $0) }
            #expect(bytes.isEmpty)
            await part.discard()
        }
    }

    @Test func readsNothingForACancelledTask() async throws {
        try await withFile { folder, file in
            try await leave(["abc"], of: record, for: file)
            let part = try makePart(file)
            let task = Task { () async throws -> Void in
                withUnsafeCurrentTask { $0?.cancel() }
                try await part.readThrough { _ in }
            }
            let error = await failure { try await task.value }
            #expect(error?.code == .cancelled)
            await part.discard()
        }
    }

    // MARK: Appending

    @Test func reportsProgressAndBytes() async throws {
        try await withFile { folder, file in
            try await leave(["abc"], of: record, for: file)
            let part = try makePart(file)
            let body = ScriptedBody(["d", "", "ef"])
            let digested = LockedValue(Data())
            var seen: [Int64] = []
            let size = try await part.append(
                digest: { bytes in digested.change { $0.append(contentsOf: bytes) } },
                progress: { seen.append($0) }
            ) { () async throws(ApusError) in
                try await body.next()
            }
            #expect(size == 6)
            #expect(seen == [4, 4, 6])
            #expect(digested.value == Data("def".utf8))
            await part.discard()
        }
    }

    /// The chunks fill the queue of the writer several times.
    @Test(arguments: [1, 40]) func keepsAllThatArrivedBeforeAnError(count: Int) async throws {
        try await withFile { folder, file in
            let chunk = String(repeating: "x", count: 100 << 10)
            let part = try makePart(file)
            try await part.begin(record)
            let error = await failure {
                try await part.write(
                    Array(repeating: chunk, count: count),
                    failure: ApusError(.connectionClosed, "gone")
                )
            }
            #expect(error?.code == .connectionClosed)
            #expect(part.byteCount == Int64(count * 100 << 10))
            await part.keep()
            let again = try makePart(file)
            #expect(again.byteCount == part.byteCount && again.record == record)
            #expect(try await again.write(["y"]) == part.byteCount + 1)
            await again.discard()
            #expect(counters.nonZero == [:])
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func reportsAFullDisk() async throws {
        try await withFile { folder, file in
            let part = try makePartOnAFullDisk(file)
            let chunk = String(repeating: "x", count: 100 << 10)
            let error = await failure { try await part.write(Array(repeating: chunk, count: 40)) }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail == "'\(file.path)' can't be written: No space left on device")
            #expect(error?.fileURL?.lastPathComponent == "file")
            // The error of the source is the earlier one.
            let gone = ApusError(.connectionClosed, "gone")
            let earlier = await failure { try await part.write(["x"], failure: gone) }
            #expect(earlier?.code == .connectionClosed)
            await part.keep()
            #expect(try names(in: folder) == [])
            #expect(counters.nonZero == [:])
        }
    }

    // MARK: Kills

    /// Runs the first steps of `begin`, and opens the part that is left.
    @Test(arguments: 0...3) func leavesNoRecordOfOtherBytes(count: Int) async throws {
        try await withFile { folder, file in
            try await leave(["abcdef"], of: .numbered(7), for: file)
            do {
                let part = try makePart(file)
                let steps = part.steps(toBegin: record)
                #expect(steps.count == 3)
                for step in steps.prefix(count) { #expect(step() == nil) }
            }
            #expect(counters.nonZero == [:])
            let old = PartialFileRecord.numbered(7)
            let expected: [PartialFileRecord?] = [old, nil, nil, record]
            let stored = PartialFileRecord.read(at: file.path + ".part.json")
            #expect(stored == expected[count])
            let part = try makePart(file)
            #expect(try text(part.url) == (count < 2 ? "abcdef" : ""))
            #expect(part.record == (count == 0 ? old : nil))
            #expect(part.hasUnknownOrigin == (count == 1))
            await part.discard()
            #expect(try names(in: folder) == [])
        }
    }

    @Test func keepsTheBytesIfTheRecordCannotBeRemoved() async throws {
        try await withFile { folder, file in
            try makeFile(folder.appending(path: "file.part"), "abc")
            let inTheWay = folder.appending(path: "file.part.json")
            try FileManager.default.createDirectory(at: inTheWay, withIntermediateDirectories: false)
            let part = try makePart(file)
            let error = await failure { try await part.begin(record) }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail.hasPrefix("'\(inTheWay.path)' can't be removed: ") == true)
            #expect(part.byteCount == 3 && part.record == nil && part.hasUnknownOrigin)
            #expect(try text(part.url) == "abc")
            await part.keep()
        }
    }

    @Test func keepsALargeRecordInMemory() async throws {
        try await withFile { folder, file in
            try await leave(["abc"], of: record, for: file)
            let part = try makePart(file)
            var large = record
            large.url += String(repeating: "x", count: PartialFileRecord.limitBytes)
            try await part.begin(large)
            #expect(part.record == large)
            #expect(try names(in: folder) == ["file.part"])
            await part.discard()
        }
    }

    /// An object that is released without a call closes its part.
    @Test func keepsThePartThatIsReleased() async throws {
        try await withFile { folder, file in
            do {
                let part = try makePart(file)
                try await part.begin(record)
                try await part.write(["abc"])
                #expect(counters.nonZero == ["files": 1])
            }
            #expect(counters.nonZero == [:])
            let part = try makePart(file)
            #expect(part.byteCount == 3 && part.record == record)
            await part.discard()
            #expect(try names(in: folder) == [])
        }
    }
}
