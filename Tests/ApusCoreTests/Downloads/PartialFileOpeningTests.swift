internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Tests the names of parts, the locks, and the files that may be in the way.
@Suite(.timeLimit(.minutes(5))) struct PartialFileOpeningTests {
    private let counters = LiveCounters()
    private let record = PartialFileRecord.numbered(1)

    private func makePart(
        _ file: URL,
        _ naming: PartialFile.Naming = .stable,
        replaces: Bool = true,
        makesFolders: Bool = false
    ) throws -> PartialFile {
        try PartialFile(for: file, naming: naming, replaces: replaces, makesFolders: makesFolders, counters: counters)
    }

    /// Returns the error of a part that can't be opened.
    private func refusal(
        _ file: URL,
        _ naming: PartialFile.Naming = .stable,
        replaces: Bool = true,
        makesFolders: Bool = false
    ) -> ApusError? {
        do {
            _ = try makePart(file, naming, replaces: replaces, makesFolders: makesFolders)
            return nil
        } catch {
            return error as? ApusError
        }
    }

    private func link(_ link: URL, to target: URL) throws {
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    }

    // MARK: Names

    @Test(arguments: [(1, true), (245, true), (246, false), (255, false)])
    func shortensLongNames(count: Int, isWhole: Bool) async throws {
        try await inFolder { folder in
            let name = String(repeating: "n", count: count)
            let file = folder.appending(path: name)
            let part = try makePart(file)
            let partName = part.url.lastPathComponent
            if isWhole { #expect(partName == name + ".part") }
            #expect(isWhole || partName.utf8.count == 21 && partName.hasSuffix(".part"))
            try await part.begin(record)
            try await part.write(["abc"])
            await part.keep()
            #expect(try names(in: folder) == [partName, partName + ".json"])
            let again = try makePart(file)
            #expect(again.byteCount == 3 && again.record == record)
            try await again.place()
            #expect(try names(in: folder) == [name])
        }
    }

    @Test func givesLongNamesPartsOfTheirOwn() async throws {
        try await inFolder { folder in
            let start = String(repeating: "n", count: 250)
            let parts = try ["a", "b", "ab"].map { try makePart(folder.appending(path: start + $0)) }
            #expect(Set(parts.map(\.url)).count == 3)
            #expect(parts.allSatisfy { $0.url.deletingLastPathComponent().path == folder.path })
            for part in parts { await part.discard() }
            #expect(try names(in: folder) == [])
        }
    }

    @Test(arguments: PartialFileOpeningTests.namings) func refusesNamesThatAreTooLong(
        naming: PartialFile.Naming
    ) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: String(repeating: "n", count: 256))
            let error = try #require(refusal(file, naming))
            #expect(error.code == .fileUnwritable)
            #expect(error.detail == "'\(file.path)' can't be created: File name too long")
            #expect(try names(in: folder) == [])
        }
    }

    static let namings: [PartialFile.Naming] = [.stable, .random]

    /// A slash and a following combining mark form one character, which differs from a slash.
    @Test(arguments: [
        "\u{301}x", "x\u{301}", "\u{200D}x", "\u{FE0F}", "100%25?#;:&=+", "~", "name ", "\\", "...", "file.part",
    ])
    func supportsUnusualFileNames(name: String) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: name)
            let part = try makePart(file)
            try await part.begin(record)
            try await part.write(["abc"])
            let found = try names(in: folder).map { Array($0.utf8) }
            #expect(found == [Array((name + ".part").utf8), Array((name + ".part.json").utf8)])
            try await part.place()
            #expect(try names(in: folder).map { Array($0.utf8) } == [Array(name.utf8)])
        }
    }

    @Test func hasTheModeOfOtherFiles() async throws {
        try await inFolder { folder in
            let other = folder.appending(path: "other")
            let descriptor = open(other.path, O_WRONLY | O_CREAT, 0o666)
            try #require(descriptor >= 0)
            close(descriptor)
            let mode = try FileManager.default.attributesOfItem(atPath: other.path)[.posixPermissions] as? Int
            for naming in Self.namings {
                let file = folder.appending(path: "\(naming)")
                let part = try makePart(file, naming)
                try await part.place()
                #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == mode)
            }
        }
    }

    // MARK: Locks

    @Test func refusesAPartInUse() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let first = try makePart(file)
            try await first.begin(record)
            try await first.write(["abc"])
            let expected = "'\(first.url.path)' is in use: another download writes to it"
            let second = try #require(refusal(file))
            #expect(second.code == .fileInUse && second.detail == expected)
            #expect(second.fileURL?.lastPathComponent == "file.part")
            let other = folder.appending(path: "other")
            let third = #expect(throws: ApusError.self) { try PartialFile(resuming: first.url, for: other) }
            #expect(third?.code == .fileInUse && third?.detail == expected)
            #expect(counters.nonZero == ["files": 1])
            // A random name is never in use.
            let random = try makePart(file, .random)
            await random.discard()
            await first.keep()
            let next = try makePart(file)
            #expect(next.byteCount == 3 && next.record == record)
            await next.discard()
            #expect(try names(in: folder) == [])
        }
    }

    /// Each download has the part for itself, or fails.
    @Test func letsOneOfManyDownloadsWrite() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let texts = (0..<6).map { String(repeating: "\($0)", count: 1000) }
            let errors = LockedList<String>()
            let successes = LockedList<Int64>()
            await withTaskGroup(of: Void.self) { group in
                for text in texts {
                    group.addTask { [counters, record] in
                        for _ in 0..<20 {
                            do throws(ApusError) {
                                let part = try PartialFile(for: file, naming: .stable, counters: counters)
                                try await part.begin(record)
                                let size = try await part.write([text])
                                successes.append(size)
                                try await part.place()
                            } catch {
                                errors.append(error.detail)
                            }
                        }
                    }
                }
            }
            #expect(errors.all.filter { !$0.contains("is in use: another download writes to it") } == [])
            #expect(!successes.all.isEmpty && successes.all.allSatisfy { $0 == 1000 })
            let content = try text(file)
            #expect(texts.contains(content))
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    // MARK: Files in the way

    @Test(arguments: [false, true]) func followsNoLink(exists: Bool) async throws {
        try await inFolder { folder in
            let target = folder.appending(path: "target")
            if exists { try makeFile(target, "mine") }
            let inTheWay = folder.appending(path: "file.part")
            try link(inTheWay, to: target)
            let error = try #require(refusal(folder.appending(path: "file")))
            #expect(error.code == .fileUnwritable)
            #expect(error.detail == "'\(inTheWay.path)' is a symbolic link, which no download follows; remove it")
            #expect(error.fileURL?.lastPathComponent == "file.part")
            #expect(try names(in: folder) == (exists ? ["file.part", "target"] : ["file.part"]))
            if exists { #expect(try text(target) == "mine") }
            #expect(counters.nonZero == [:])
        }
    }

    @Test func writesIntoNoFileWithOtherNames() async throws {
        try await inFolder { folder in
            let target = folder.appending(path: "target")
            let inTheWay = folder.appending(path: "file.part")
            try makeFile(target, "mine")
            try FileManager.default.linkItem(at: target, to: inTheWay)
            let error = try #require(refusal(folder.appending(path: "file")))
            #expect(error.code == .fileUnwritable)
            #expect(error.detail.hasPrefix("'\(inTheWay.path)' has other names (hard links)"))
            #expect(try text(target) == "mine")
            #expect(try names(in: folder) == ["file.part", "target"])
        }
    }

    @Test func writesIntoRegularFilesOnly() async throws {
        try await inFolder { folder in
            let inTheWay = folder.appending(path: "file.part")
            for isPipe in [false, true] {
                if isPipe {
                    try #require(mkfifo(inTheWay.path, 0o600) == 0)
                } else {
                    try FileManager.default.createDirectory(at: inTheWay, withIntermediateDirectories: false)
                }
                let error = try #require(refusal(folder.appending(path: "file")))
                #expect(error.code == .fileUnwritable)
                #expect(error.detail == "'\(inTheWay.path)' is not a regular file; remove it")
                #expect(try names(in: folder) == ["file.part"])
                try FileManager.default.removeItem(at: inTheWay)
            }
            #expect(counters.nonZero == [:])
        }
    }

    @Test func replacesALinkInPlaceOfTheRecord() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let target = folder.appending(path: "target")
            try PartialFileRecord.numbered(2).write(to: target.path)
            let old = try Data(contentsOf: target)
            try makeFile(folder.appending(path: "file.part"), "abc")
            try link(folder.appending(path: "file.part.json"), to: target)
            let part = try makePart(file)
            #expect(part.record == nil && part.hasUnknownOrigin)
            try await part.begin(record)
            #expect(try Data(contentsOf: target) == old)
            #expect(PartialFileRecord.read(at: file.path + ".part.json") == record)
            await part.discard()
            #expect(try names(in: folder) == ["target"])
        }
    }

    @Test(arguments: ["", "not JSON", "{\"version\":2}"]) func ignoresADamagedRecord(content: String) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try makeFile(folder.appending(path: "file.part"), "abc")
            try makeFile(folder.appending(path: "file.part.json"), content)
            let part = try makePart(file)
            #expect(part.byteCount == 3 && part.record == nil && part.hasUnknownOrigin)
            try await part.begin(record)
            try await part.place()
            #expect(try names(in: folder) == ["file"])
        }
    }

    // MARK: Kills

    /// The process was killed after it had moved its part, and before it removed the record.
    @Test func removesTheRecordOfNoPart() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try record.write(to: file.path + ".part.json")
            let part = try makePart(file)
            #expect(part.byteCount == 0 && part.record == nil)
            #expect(try names(in: folder) == ["file.part"])
            await part.discard()
            // A file that is no record is not removed before the download begins.
            try makeFile(folder.appending(path: "file.part.json"), "mine")
            let next = try makePart(file)
            await next.keep()
            #expect(try text(folder.appending(path: "file.part.json")) == "mine")
        }
    }

    /// The process was killed after it had linked its destination, and before it removed the part.
    @Test func beginsAnewAfterAKilledMove() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let left = folder.appending(path: "file.part")
            try makeFile(file, "abcdef")
            try FileManager.default.linkItem(at: file, to: left)
            try record.write(to: left.path + ".json")
            #expect(refusal(file, replaces: false)?.code == .fileExists)
            let resumed = #expect(throws: ApusError.self) { try PartialFile(resuming: left, for: file) }
            #expect(resumed?.detail.contains("hard links") == true)
            #expect(try names(in: folder) == ["file", "file.part", "file.part.json"])
            let part = try makePart(file)
            #expect(part.byteCount == 0 && part.record == nil)
            #expect(try names(in: folder) == ["file", "file.part"])
            #expect(try text(file) == "abcdef")
            try await part.write(["new"])
            try await part.place()
            #expect(try text(file) == "new")
            #expect(try names(in: folder) == ["file"])
        }
    }

    // MARK: Destinations

    @Test(arguments: PartialFileOpeningTests.namings) func refusesUnwritableDestinations(
        naming: PartialFile.Naming
    ) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let inner = folder.appending(path: "inner")
            try makeFile(file, "old")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
            let expectations = [
                (
                    URL(filePath: inner.path, directoryHint: .notDirectory),
                    "'\(inner.path)' is a folder; name a file in it"
                ),
                (URL(filePath: "/dev/null"), "'/dev/null' is a device or other special file and can't be replaced"),
                (file.appending(path: "x"), "'\(file.path)/x' can't be created: Not a directory"),
                (inner.appending(path: "no/x"), "'\(inner.path)/no/x' can't be created: No such file or directory"),
            ]
            for (url, detail) in expectations {
                let error = try #require(refusal(url, naming, replaces: false))
                #expect(error.code == .fileUnwritable)
                #expect(error.detail == detail)
                #expect(error.fileURL?.lastPathComponent == url.lastPathComponent)
            }
            let taken = try #require(refusal(file, naming, replaces: false))
            #expect(taken.code == .fileExists)
            #expect(taken.detail == "'\(file.path)' already exists; remove it, or use removePreviousFile")
            #expect(taken.fileURL?.lastPathComponent == "file")
            // Not even root can create a file there.
            let nowhere = refusal(URL(filePath: "/proc/apus-file"), naming)
            #expect(nowhere?.code == .fileUnwritable)
            #expect(nowhere?.detail.hasPrefix("'/proc/apus-file' can't be created: ") == true)
            let below = refusal(file.appending(path: "a/b"), naming, makesFolders: true)
            #expect(below?.detail.hasPrefix("the folder '\(file.path)/a/' can't be created") == true)
            let remote = refusal(try #require(URL(string: "https://h/x")), naming)
            #expect(remote?.detail == "'https://h/x' is not a file URL")
            #expect(try names(in: folder) == ["file", "inner"])
            #expect(try names(in: inner) == [])
            #expect(counters.nonZero == [:])
        }
    }

    @Test func createsFoldersIfAllowed() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "a/b/file")
            let part = try makePart(file, makesFolders: true)
            try await part.write(["abc"])
            try await part.place()
            #expect(try text(file) == "abc")
        }
    }
}
