internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Tests the moves. `FileSinkTests` and `PartialFileOpeningTests` test the checks of a destination.
@Suite(.timeLimit(.minutes(5))) struct FilePlacementTests {
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
            #expect(FilePlacement.failure(ofMoveTo: to.path, EEXIST).detail.contains("exists"))
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
