internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Tests the ends of a part: it is placed, kept or discarded.
@Suite(.timeLimit(.minutes(5))) struct PartialFilePlacingTests {
    private let counters = LiveCounters()
    private let record = PartialFileRecord.numbered(1)

    /// Returns a complete part.
    private func makePart(_ file: URL, replaces: Bool = true) async throws -> PartialFile {
        let part = try PartialFile(for: file, naming: .stable, replaces: replaces, counters: counters)
        try await part.begin(record)
        try await part.write(["abc", "def"])
        return part
    }

    // MARK: Placing

    @Test func replacesTheFileAtTheEnd() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try makeFile(file, "old")
            let reader = try FileHandle(forReadingFrom: file)
            let part = try await makePart(file)
            #expect(try text(file) == "old")
            try await part.place()
            #expect(try text(file) == "abcdef")
            // An open handle still reads the old file.
            #expect(try reader.readToEnd() == Data("old".utf8))
            try reader.close()
            #expect(try names(in: folder) == ["file"])
        }
    }

    /// A kill during the writing of a record leaves a file.
    @Test(arguments: [false, true]) func removesWhatAKillHasLeft(isPlaced: Bool) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let part = try await makePart(file)
            try makeFile(URL(filePath: PartialFileRecord.temporaryPath(of: "\(file.path).part.json")), "left")
            if isPlaced { try await part.place() } else { await part.discard() }
            #expect(try names(in: folder) == (isPlaced ? ["file"] : []))
        }
    }

    @Test func replacesALinkAndNotItsTarget() async throws {
        try await inFolder { folder in
            let target = folder.appending(path: "target")
            let link = folder.appending(path: "link")
            try makeFile(target, "old")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            try await makePart(link).place()
            #expect(try text(target) == "old")
            #expect(try text(link) == "abcdef")
            #expect(try names(in: folder) == ["link", "target"])
        }
    }

    /// Another process creates the file during the download.
    @Test func keepsAFileItMayNotReplace() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let part = try await makePart(file, replaces: false)
            try makeFile(file, "theirs")
            let error = await failure { try await part.place() }
            #expect(error?.code == .fileExists)
            #expect(error?.detail == "'\(file.path)' already exists; remove it, or use removePreviousFile")
            #expect(try text(file) == "theirs")
            #expect(try text(part.url) == "abcdef")
            #expect(try names(in: folder) == ["file", "file.part", "file.part.json"])
            #expect(counters.nonZero == ["files": 1])
            // The part is open until the caller has decided.
            try FileManager.default.removeItem(at: file)
            try await part.place()
            #expect(try text(file) == "abcdef")
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    @Test(arguments: [false, true]) func keepsThePartIfItCannotBeMoved(isKept: Bool) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let part = try await makePart(file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            try makeFile(file.appending(path: "inner"), "theirs")
            let error = await failure { try await part.place() }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail.hasPrefix("'\(file.path)' can't be moved into place: ") == true)
            #expect(part.byteCount == 6 && part.record == record)
            if isKept { await part.keep() } else { await part.discard() }
            #expect(try names(in: folder) == (isKept ? ["file", "file.part", "file.part.json"] : ["file"]))
            #expect(counters.nonZero == [:])
        }
    }

    /// The user removes the part, or puts another file in its place.
    @Test(arguments: [false, true]) func movesNoOtherFile(isReplaced: Bool) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let part = try await makePart(file)
            let location = part.url
            try FileManager.default.moveItem(at: location, to: folder.appending(path: "moved"))
            if isReplaced { try makeFile(location, "theirs") }
            let error = await failure { try await part.place() }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail == "'\(location.path)' was moved or replaced while it was written")
            await part.discard()
            #expect(try names(in: folder) == (isReplaced ? ["file.part", "moved"] : ["moved"]))
            if isReplaced { #expect(try text(location) == "theirs") }
            #expect(counters.nonZero == [:])
        }
    }

    // MARK: Closing

    @Test func closesOnce() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            for isKept in [true, false] {
                let part = try await makePart(file)
                if isKept { await part.keep() } else { await part.discard() }
                await part.discard()
                await part.keep()
                #expect(try names(in: folder) == (isKept ? ["file.part", "file.part.json"] : []))
                #expect(counters.nonZero == [:])
            }
            let part = try await makePart(file)
            try await part.place()
            await part.keep()
            await part.discard()
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    // MARK: Parts in other folders

    @Test func adoptsAPartOfAnotherFolder() async throws {
        try await inFolder { folder in
            let inner = folder.appending(path: "inner")
            let file = folder.appending(path: "new/file")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
            let first = try await makePart(inner.appending(path: "old"))
            await first.keep()
            let missing = #expect(throws: ApusError.self) { try PartialFile(resuming: first.url, for: file) }
            #expect(missing?.detail == "'\(file.path)' can't be created: No such file or directory")
            let part = try PartialFile(resuming: first.url, for: file, makesFolders: true, counters: counters)
            #expect(part.url.path == first.url.path && part.destination == file)
            #expect(part.byteCount == 6 && part.record == record)
            try await part.resume(at: 5)
            try await part.write(["F"])
            try await part.place()
            #expect(try text(file) == "abcdeF")
            #expect(try names(in: inner) == [])
            #expect(counters.nonZero == [:])
        }
    }

    @Test func adoptsNoPartThatIsMissing() async throws {
        try await inFolder { folder in
            let missing = folder.appending(path: "old.part")
            let file = folder.appending(path: "file")
            let error = #expect(throws: ApusError.self) { try PartialFile(resuming: missing, for: file) }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail == "'\(missing.path)' can't be opened: No such file or directory")
            let remote = try #require(URL(string: "https://h/old.part"))
            let other = #expect(throws: ApusError.self) { try PartialFile(resuming: remote, for: file) }
            #expect(other?.detail == "'https://h/old.part' is not a file URL")
            #expect(try names(in: folder) == [])
        }
    }

    /// Where `/dev/shm` is another file system, the part is copied.
    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")), arguments: [false, true])
    func adoptsAPartOfAnotherFileSystem(replaces: Bool) async throws {
        let other = URL(filePath: "/dev/shm/apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: other) }
        try await inFolder { folder in
            let first = try await makePart(other.appending(path: "old"))
            await first.keep()
            let file = folder.appending(path: "file")
            let part = try PartialFile(resuming: first.url, for: file, replaces: replaces, counters: counters)
            try await part.resume(at: 5)
            try await part.write([String(repeating: "F", count: 3 << 20)])
            try makeFile(file, "theirs")
            if !replaces {
                let error = await failure { try await part.place() }
                #expect(error?.detail == "'\(file.path)' already exists; remove it, or use removePreviousFile")
                #expect(try text(file) == "theirs")
                #expect(try names(in: folder) == ["file"])
                #expect(try names(in: other) == ["old.part", "old.part.json"])
                try FileManager.default.removeItem(at: file)
            }
            try await part.place()
            let isWhole = try text(file) == "abcde" + String(repeating: "F", count: 3 << 20)
            #expect(isWhole)
            #expect(part.url == file)
            #expect(try names(in: folder) == ["file"])
            #expect(try names(in: other) == [])
            #expect(counters.nonZero == [:])
        }
    }
}
