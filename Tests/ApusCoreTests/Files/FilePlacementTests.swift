internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Tests the checks of a destination, and the moves. `PartialFileOpeningTests` tests the checks with a part.
@Suite(.timeLimit(.minutes(5))) struct FilePlacementTests {
    // MARK: Checks

    /// Returns the error of a destination that can't be used.
    private func refusal(_ url: URL, replaces: Bool = false, makesFolders: Bool = false) -> ApusError? {
        do throws(ApusError) {
            _ = try FilePlacement.prepare(url, replaces: replaces, makesFolders: makesFolders)
            return nil
        } catch {
            return error
        }
    }

    @Test func detectsAnExistingFile() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let link = folder.appending(path: "link")
            try makeFile(file, "old")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.appending(path: "nowhere"))
            for url in [file, link] {
                let error = try #require(refusal(url))
                #expect(error.code == .fileExists)
                #expect(error.detail == "'\(url.path)' already exists; remove it, or use removePreviousFile")
                #expect(error.fileURL?.lastPathComponent == url.lastPathComponent)
                #expect(refusal(url, replaces: true) == nil)
            }
            #expect(try names(in: folder) == ["file", "link"])
            #expect(try text(file) == "old")
        }
    }

    @Test func rejectsURLsThatNameNoFile() throws {
        let strange = ["https://u:sesame@h/file?key=sesame", "file:///tmp/", "file:///tmp/a%00b", "file:///tmp/a%FFb"]
        for url in try strange.map({ try #require(URL(string: $0)) }) {
            let error = try #require(refusal(url, replaces: true))
            #expect(error.code == .fileUnwritable)
            #expect(error.detail.hasSuffix("is not a file URL") || error.detail.hasSuffix("does not name a file"))
            #expect(!error.detail.contains("sesame"))
        }
    }

    @Test(arguments: [false, true]) func replacesNeitherFoldersNorDevices(replaces: Bool) async throws {
        try await inFolder { folder in
            let inner = folder.appending(path: "inner")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
            let error = refusal(URL(filePath: inner.path, directoryHint: .notDirectory), replaces: replaces)
            #expect(error?.code == .fileUnwritable)
            #expect(try names(in: folder) == ["inner"])
            for device in ["/dev/null", "/dev/full"] where FileManager.default.fileExists(atPath: device) {
                let error = try #require(refusal(URL(filePath: device), replaces: replaces))
                #expect(error.code == .fileUnwritable)
                #expect(error.detail == "'\(device)' is a device or other special file and can't be replaced")
            }
        }
    }

    @Test func createsFoldersIfAllowed() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "a/b/file")
            #expect(refusal(file) == nil)
            #expect(try names(in: folder) == [])
            #expect(refusal(file, makesFolders: true) == nil)
            try makeFile(file, "x")
            let error = try #require(refusal(file.appending(path: "c/file"), makesFolders: true))
            #expect(error.code == .fileUnwritable)
            #expect(error.detail.hasPrefix("the folder '\(file.path)/c/' can't be created"))
            #expect(error.underlying != nil)
        }
    }

    // MARK: The move

    @Test func movesAndReplaces() async throws {
        try await inFolder { folder in
            let from = folder.appending(path: "from")
            let to = folder.appending(path: "to")
            for replaces in [false, true] {
                try makeFile(from, "new \(replaces)")
                #expect(FilePlacement.move(from.path, to: to.path, replaces: replaces) == 0)
                #expect(try text(to) == "new \(replaces)")
                #expect(try names(in: folder) == ["to"])
            }
            try makeFile(from, "newer")
            #expect(FilePlacement.move(from.path, to: to.path, replaces: false) == EEXIST)
            #expect(FilePlacement.failure(ofMoveTo: to.path, EEXIST).code == .fileExists)
            #expect(FilePlacement.failure(ofMoveTo: to.path, ENOENT).code == .fileUnwritable)
            #expect(try text(to) == "new true")
            #expect(try names(in: folder) == ["from", "to"])
        }
    }

    /// The fallback for file systems without hard links.
    @Test func movesToAFreeNameWithoutAHardLink() async throws {
        try await inFolder { folder in
            let from = folder.appending(path: "from")
            let to = folder.appending(path: "to")
            try makeFile(from, "new")
            try makeFile(to, "old")
            #expect(FilePlacement.move(from.path, toFree: to.path) == EEXIST)
            #expect(try text(to) == "old")
            try FileManager.default.removeItem(at: to)
            #expect(FilePlacement.move(from.path, toFree: to.path) == 0)
            #expect(try text(to) == "new")
            #expect(FilePlacement.move(from.path, toFree: folder.appending(path: "third").path) == ENOENT)
            #expect(FilePlacement.move(from.path, toFree: folder.appending(path: "no/x").path) == ENOENT)
            #expect(try names(in: folder) == ["to"])
        }
    }

    @Test(arguments: [0, 1, (1 << 20) - 1, 1 << 20, (5 << 20) + 7]) func copiesAnOpenFile(count: Int) async throws {
        try await inFolder { folder in
            let from = folder.appending(path: "from")
            let to = folder.appending(path: "to")
            let data = Data(repeating: 1, count: count / 2) + Data(repeating: 2, count: count - count / 2)
            try data.write(to: from)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: from.path)
            let reader = try FileHandle(forReadingFrom: from)
            #expect(FilePlacement.copy(reader.fileDescriptor, to: to.path, replaces: false) == nil)
            #expect(try Data(contentsOf: to) == data)
            let attributes = try FileManager.default.attributesOfItem(atPath: to.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let taken = FilePlacement.copy(reader.fileDescriptor, to: to.path, replaces: false)
            #expect(taken?.code == .fileExists)
            #expect(taken?.detail == "'\(to.path)' already exists; remove it, or use removePreviousFile")
            let missing = FilePlacement.copy(
                reader.fileDescriptor,
                to: folder.appending(path: "no/x").path,
                replaces: true
            )
            #expect(missing?.detail.contains("can't be created: No such file") == true)
            #expect(try names(in: folder) == ["from", "to"])
            try reader.close()
        }
    }

    @Test func reportsACopyThatCannotBeRead() async throws {
        try await inFolder { folder throws in
            let to = folder.appending(path: "to")
            let failure = FilePlacement.copy(-1, to: to.path, replaces: true)
            #expect(failure?.code == .fileUnwritable)
            #expect(failure?.fileURL?.lastPathComponent == "to")
            #expect(try names(in: folder) == [])
        }
    }

    @Test(arguments: [
        ("/a/b", "/a/"), ("b", ""), ("/b", "/"), ("/a/\u{301}b", "/a/"), ("/a\u{301}/b", "/a\u{301}/"),
    ])
    func findsTheFolder(path: String, folder: String) {
        #expect(Array(FilePlacement.folder(of: path).utf8) == Array(folder.utf8))
    }
}
