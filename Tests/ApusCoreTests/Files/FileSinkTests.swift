internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Tests the sink alone. `DownloadTests` and `DownloadRequestTests` test downloads with it.
@Suite(.timeLimit(.minutes(5))) struct FileSinkTests {
    private let counters = LiveCounters()

    private func sink(_ url: URL, _ options: DownloadDestination.Options = []) throws -> FileSink {
        try FileSink(
            at: url,
            replaces: options.contains(.removePreviousFile),
            makesFolders: options.contains(.createIntermediateDirectories),
            counters: counters
        )
    }

    private func failure(_ url: URL, _ options: DownloadDestination.Options = []) -> ApusError? {
        do {
            _ = try sink(url, options)
            return nil
        } catch {
            return error as? ApusError
        }
    }

    /// Writes a body through a sink, and inspects the temporary file before it is moved.
    private func write(
        _ body: ResponseBody,
        into sink: FileSink,
        _ look: (URL) throws -> Void
    ) async throws {
        try await sink.write(
            body,
            validate: { temporary throws(ApusError) in
                do { try look(temporary) } catch { throw ApusError(.validationFailed, "no", underlying: error) }
            }
        )
    }

    private func body(_ chunks: String...) -> ResponseBody { .stream(ScriptedBody(chunks)) }

    // MARK: Destinations

    @Test func writesANewFile() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let sink = try sink(file)
            #expect(counters.nonZero == ["files": 1])
            #expect(try await sink.write(body("a", "bc")) == 3)
            #expect(try text(file) == "abc")
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    @Test func writesATemporaryFileInTheSameFolder() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await write(body("a", "bc"), into: sink(file)) { temporary in
                #expect(temporary.deletingLastPathComponent().path == folder.path)
                #expect(temporary.lastPathComponent.hasPrefix(".apus-"))
                #expect(temporary.pathExtension == "part")
                let content = try text(temporary)
                #expect(content == "abc")
                #expect(try names(in: folder) == [temporary.lastPathComponent])
            }
        }
    }

    /// A slash and a following combining mark form one character, which differs from a slash.
    @Test(arguments: ["\u{301}x", "x\u{301}", "\u{200D}x", "\u{FE0F}", "100%25?#;:&=+", "~", "name ", "\\"])
    func supportsUnusualFileNames(name: String) async throws {
        try await inFolder { folder in
            let inner = folder.appending(path: "inner")
            let file = inner.appending(path: name)
            try await write(body("a"), into: sink(file, .createIntermediateDirectories)) { temporary in
                let found = [try names(in: folder), try names(in: inner)]
                #expect(found == [["inner"], [temporary.lastPathComponent]])
            }
            #expect(try names(in: folder) == ["inner"])
            #expect(try names(in: inner).map { Array($0.utf8) } == [Array(name.utf8)])
        }
    }

    @Test func failsBeforehandIfTheFileExists() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try makeFile(file, "old")
            let error = try #require(failure(file))
            #expect(error.code == .fileUnwritable)
            #expect(error.detail == "'\(file.path)' already exists; remove it, or use removePreviousFile")
            let link = folder.appending(path: "link")
            try FileManager.default.createSymbolicLink(
                at: link,
                withDestinationURL: folder.appending(path: "nowhere")
            )
            #expect(failure(link)?.detail.contains("exists") == true)
            #expect(try names(in: folder) == ["file", "link"])
            #expect(try text(file) == "old")
            #expect(counters.nonZero == [:])
        }
    }

    @Test func rejectsURLsThatNameNoFile() throws {
        let strange = ["https://u:sesame@h/file?key=sesame", "file:///tmp/", "file:///tmp/a%00b", "file:///tmp/a%FFb"]
        for url in try strange.map({ try #require(URL(string: $0)) }) {
            let error = try #require(failure(url, .removePreviousFile))
            #expect(error.code == .fileUnwritable)
            #expect(error.detail.hasSuffix("is not a file URL") || error.detail.hasSuffix("does not name a file"))
            #expect(!error.detail.contains("sesame"))
        }
        #expect(counters.nonZero == [:])
    }

    @Test(arguments: [[], .removePreviousFile, .createIntermediateDirectories] as [DownloadDestination.Options])
    func replacesNeitherFoldersNorDevices(options: DownloadDestination.Options) async throws {
        try await inFolder { folder in
            let inner = folder.appending(path: "inner")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
            #expect(failure(URL(filePath: inner.path, directoryHint: .notDirectory), options)?.code == .fileUnwritable)
            #expect(try names(in: folder) == ["inner"])
            for device in ["/dev/null", "/dev/full"] where FileManager.default.fileExists(atPath: device) {
                let error = try #require(failure(URL(filePath: device), options))
                #expect(error.detail == "'\(device)' is a device or other special file and can't be replaced")
            }
            #expect(counters.nonZero == [:])
        }
    }

    @Test func createsFoldersIfAllowed() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "a/b/c/file")
            #expect(failure(file)?.code == .fileUnwritable)
            #expect(try names(in: folder) == [])
            try await sink(file, .createIntermediateDirectories).write(body("x"))
            #expect(try text(file) == "x")
            let inFile = file.appending(path: "d/file")
            let error = try #require(failure(inFile, .createIntermediateDirectories))
            #expect(error.code == .fileUnwritable)
            #expect(error.detail.hasPrefix("the folder '\(file.path)/d/' can't be created"))
            #expect(error.underlying != nil)
        }
    }

    @Test func reportsUnwritableLocations() {
        // Not even root can create a file there.
        let error = failure(URL(filePath: "/proc/apus-file"))
        #expect(error?.code == .fileUnwritable)
        #expect(error?.detail.hasPrefix("'/proc/apus-file' can't be created: ") == true)
        #expect(counters.nonZero == [:])
    }

    // MARK: Completion

    @Test func replacesTheFileAtomicallyAtTheEnd() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try makeFile(file, "old")
            let reader = try FileHandle(forReadingFrom: file)
            try await write(body("new", "er"), into: sink(file, .removePreviousFile)) { _ in
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
            try await sink(link, .removePreviousFile).write(body("new"))
            #expect(try text(target) == "old")
            #expect(try text(link) == "new")
        }
    }

    @Test(arguments: [[], .removePreviousFile] as [DownloadDestination.Options])
    func keepsItsTemporaryNameUntilItIsMoved(options: DownloadDestination.Options) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            for isPlaced in [false, true] {
                let sink = try sink(file, options)
                var iterator = body("a", "bc").makeAsyncIterator()
                let count = try await sink.collect { () async throws(ApusError) in try await iterator.next() }
                #expect(count == 3)
                #expect(try names(in: folder) == [sink.temporaryURL.lastPathComponent])
                #expect(try text(sink.temporaryURL) == "abc")
                #expect(counters.nonZero == ["files": 1])
                if isPlaced { try await sink.place() } else { await sink.abandon() }
                #expect(try names(in: folder) == (isPlaced ? ["file"] : []))
                #expect(counters.nonZero == [:])
            }
            #expect(try text(file) == "abc")
        }
    }

    @Test func keepsAFileCreatedDuringTheWrite() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let error = await ApusTestSupport.failure {
                try await write(body("mine"), into: sink(file)) { _ in try makeFile(file, "theirs") }
            }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail.contains("exists") == true)
            let content = try text(file)
            #expect(content == "theirs")
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    @Test func reportsAMissingTemporaryFile() async throws {
        try await inFolder { folder in
            for options in [[], .removePreviousFile] as [DownloadDestination.Options] {
                let error = await ApusTestSupport.failure {
                    let sink = try sink(folder.appending(path: "file"), options)
                    try await write(body("a"), into: sink) { temporary in
                        try FileManager.default.removeItem(at: temporary)
                    }
                }
                #expect(error?.code == .fileUnwritable)
                #expect(error?.detail.contains("can't be moved into place: No such file") == true)
                let left = try names(in: folder)
                #expect(left == [])
            }
            #expect(counters.nonZero == [:])
        }
    }

    @Test func writesChunksFromAClosure() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let chunks = LockedList<String>()
            let sink = try FileSink(at: file)
            let count = try await sink.write { () async throws(ApusError) in
                defer { chunks.append("called") }
                return ["a", "", "bc"].indices.contains(chunks.count) ? BodyChunk(["a", "", "bc"][chunks.count]) : nil
            }
            #expect(count == 3)
            #expect(try text(file) == "abc")
        }
    }

    // MARK: Failure

    @Test(arguments: [[], .removePreviousFile] as [DownloadDestination.Options])
    func leavesNoFileWhenReadingFails(options: DownloadDestination.Options) async throws {
        try await inFolder { folder in
            let broken = ScriptedBody(["a", "b"], failure: ApusError(.connectionClosed, "gone"))
            let file = folder.appending(path: "file")
            let error = await ApusTestSupport.failure { try await sink(file, options).write(.stream(broken)) }
            let left = try names(in: folder)
            #expect(error?.code == .connectionClosed)
            #expect(left == [])
            #expect(counters.nonZero == [:])
        }
    }

    @Test func leavesNoFileWhenValidationFails() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try makeFile(file, "old")
            let error = await ApusTestSupport.failure {
                try await write(body("a"), into: sink(file, .removePreviousFile)) { _ in
                    throw ApusError(.emptyBody, "no")
                }
            }
            #expect(error?.code == .validationFailed)
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file"])
            #expect(counters.nonZero == [:])
        }
    }

    /// Cancels immediately before the file is moved.
    /// Parity: AF-fault-write-after-close
    @Test func movesNoFileWhenCancelled() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let sink = try sink(file)
            let error = await Task {
                await ApusTestSupport.failure {
                    try await write(.whole(BodyChunk("a")), into: sink) { _ in
                        withUnsafeCurrentTask { $0?.cancel() }
                    }
                }
            }.value
            #expect(error?.code == .cancelled)
            #expect(try names(in: folder) == [])
            #expect(counters.nonZero == [:])
        }
    }

    @Test func reportsProgress() async throws {
        try await inFolder { folder in
            var seen: [Int64] = []
            try await sink(folder.appending(path: "file")).write(body("a", "bc", "def"), progress: { seen.append($0) })
            #expect(seen == [1, 3, 6])
            try await sink(folder.appending(path: "empty")).write(.empty, progress: { seen.append($0) })
            #expect(seen == [1, 3, 6])
            #expect(try text(folder.appending(path: "empty")) == "")
        }
    }

    @Test(arguments: [(0, ""), (1, "a"), (3, "abc"), (4, "abc"), (.max, "abc")])
    func readsTheBeginning(limit: Int, expected: String) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            #expect(FileSink.beginning(of: file, limit).isEmpty)
            try makeFile(file, "abc")
            #expect(FileSink.beginning(of: file, limit) == Data(expected.utf8))
            #expect(FileSink.beginning(of: folder, limit).isEmpty)
        }
    }
}
