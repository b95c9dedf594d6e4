internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Tests files that are written by one call: forms and archives.
@Suite(.timeLimit(.minutes(5))) struct PartialFileWholeTests {
    private let counters = LiveCounters()

    /// Writes chunks, and calls `look` after the last of them. Throws the error of `look` as the underlying one.
    private func write(
        _ chunks: [String],
        at file: URL,
        replaces: Bool = true,
        isPrivate: Bool = false,
        failure: ApusError? = nil,
        _ look: () throws -> Void = {}
    ) async throws(ApusError) {
        let body = ScriptedBody(chunks, failure: failure)
        try await PartialFile.writeWhole(
            at: file,
            replaces: replaces,
            isPrivate: isPrivate,
            counters: counters
        ) { () async throws(ApusError) in
            if let chunk = try await body.next() { return chunk }
            do { try look() } catch { throw ApusError(.validationFailed, "no", underlying: error) }
            return nil
        }
    }

    private func mode(of file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test(arguments: [false, true]) func writesANewFile(replaces: Bool) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await write(["a", "", "bc"], at: file, replaces: replaces) {
                #expect(counters.nonZero == ["files": 1])
                let found = try names(in: folder)
                #expect(found.count == 1 && found[0].hasPrefix(".apus-") && found[0].hasSuffix(".part"))
            }
            #expect(try text(file) == "abc")
            let empty = folder.appending(path: "empty")
            try await write([], at: empty, replaces: replaces)
            #expect(try text(empty) == "")
            #expect(try names(in: folder) == ["empty", "file"])
            #expect(counters.nonZero == [:])
        }
    }

    @Test func replacesTheFileAtomicallyAtTheEnd() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try makeFile(file, "old")
            let reader = try FileHandle(forReadingFrom: file)
            try await write(["new", "er"], at: file) {
                let content = try text(file)
                #expect(content == "old")
            }
            #expect(try text(file) == "newer")
            // An open handle still reads the old file.
            #expect(try reader.readToEnd() == Data("old".utf8))
            try reader.close()
            #expect(try names(in: folder) == ["file"])
        }
    }

    @Test func replacesALinkAndNotItsTarget() async throws {
        try await inFolder { folder in
            let target = folder.appending(path: "target")
            let link = folder.appending(path: "link")
            try makeFile(target, "old")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            try await write(["new"], at: link)
            #expect(try text(target) == "old")
            #expect(try text(link) == "new")
        }
    }

    /// The file is private before it has its first byte.
    @Test func restrictsAPrivateFileToItsOwner() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await write([], at: file, isPrivate: true) {
                let temporary = folder.appending(path: try #require(try names(in: folder).first))
                #expect(try mode(of: temporary) == 0o600)
            }
            try await write(["secret"], at: file, isPrivate: true)
            #expect(try mode(of: file) == 0o600)
            #expect(try text(file) == "secret")
        }
    }

    // MARK: Failure

    @Test func readsNothingIfTheFileExists() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try makeFile(file, "old")
            let error = await failure {
                try await write(["new"], at: file, replaces: false) { Issue.record("the body was read") }
            }
            #expect(error?.code == .fileExists)
            #expect(error?.detail == "'\(file.path)' already exists; remove it, or use removePreviousFile")
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    @Test func keepsAFileCreatedDuringTheWrite() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let error = await failure {
                try await write(["mine"], at: file, replaces: false) { try makeFile(file, "theirs") }
            }
            #expect(error?.code == .fileExists)
            let content = try text(file)
            #expect(content == "theirs")
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    @Test(arguments: [false, true]) func reportsAMissingTemporaryFile(replaces: Bool) async throws {
        try await inFolder { folder in
            let error = await failure {
                try await write(["a"], at: folder.appending(path: "file"), replaces: replaces) {
                    for name in try names(in: folder) {
                        try FileManager.default.removeItem(at: folder.appending(path: name))
                    }
                }
            }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail.hasSuffix("was moved or replaced while it was written") == true)
            let left = try names(in: folder)
            #expect(left == [])
            #expect(counters.nonZero == [:])
        }
    }

    @Test(arguments: [false, true]) func leavesNoFileWhenReadingFails(replaces: Bool) async throws {
        try await inFolder { folder in
            let gone = ApusError(.connectionClosed, "gone")
            let error = await failure {
                try await write(["a", "b"], at: folder.appending(path: "file"), replaces: replaces, failure: gone)
            }
            #expect(error?.code == .connectionClosed)
            let left = try names(in: folder)
            #expect(left == [])
            #expect(counters.nonZero == [:])
        }
    }

    @Test func keepsTheOldFileWhenReadingFails() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try makeFile(file, "old")
            let error = await failure { try await write(["a"], at: file) { throw ApusError(.emptyBody, "no") } }
            #expect(error?.code == .validationFailed)
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    /// Cancels after the last chunk, before the file is moved.
    /// Parity: AF-fault-write-after-close
    @Test func movesNoFileWhenCancelled() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let error = await Task {
                await failure {
                    try await write(["a"], at: file) { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }.value
            #expect(error?.code == .cancelled)
            let left = try names(in: folder)
            #expect(left == [])
            #expect(counters.nonZero == [:])
        }
    }
}
