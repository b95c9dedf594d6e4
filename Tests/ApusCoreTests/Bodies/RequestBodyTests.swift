internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct RequestBodyTests {
    private struct Chunks: AsyncSequence, Sendable {
        let chunks: [String]

        struct Iterator: AsyncIteratorProtocol {
            var rest: ArraySlice<String>
            mutating func next() async throws -> BodyChunk? { rest.popFirst().map { BodyChunk($0) } }
        }

        func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...]) }
    }

    private func read(_ reader: BodyReader) async throws -> String {
        var text = ""
        while let chunk = try await reader.next() { text += String(chunk) }
        return text
    }

    private func code(_ work: () throws -> some Any) -> ApusError.Code? {
        do {
            _ = try work()
            return nil
        } catch {
            return (error as? ApusError)?.code
        }
    }

    @Test func reportsItsLengthAndWhetherItIsReplayable() {
        let stream = Chunks(chunks: ["a"])
        let bodies: [(RequestBody, Int64?, Bool)] = [
            (.none, 0, true), (.bytes(Data([1, 2])), 2, true), (.string("ü"), 2, true),
            (.chunk(BodyChunk("abc")), 3, true),
            (.bytes(Data()), 0, true), (.replayable { stream }, nil, true),
            (.replayable(length: 1) { stream }, 1, true),
            (.once(stream), nil, true), (.once(length: 1, stream), 1, true),
        ]
        for (body, length, isReplayable) in bodies {
            #expect(body.length == length)
            #expect(body.isReplayable == isReplayable)
        }
    }

    @Test func distinguishesNoBodyFromAnEmptyOne() {
        #expect(RequestBody.none.isNone)
        #expect(!RequestBody.string("").isNone)
    }

    @Test(.timeLimit(.minutes(5))) func canBeReadOnlyOnce() async throws {
        let body = RequestBody.once(Chunks(chunks: ["a", "b"]))
        let content = try #require(body.onceContent)
        #expect(try body.replayed(for: "a test").isReplayable)
        #expect(try await read(content.open()) == "ab")
        #expect(!body.isReplayable)
        #expect(throws: ApusError.self) { try content.open() }
        do throws(ApusError) {
            _ = try body.replayed(for: "the redirect to x")
            Issue.record("replayed")
        } catch {
            #expect(error.code == .bodyNotReplayable)
            #expect(error.detail.hasPrefix("the redirect to x needs the body again"))
            #expect(error.hint == "use RequestBody.replayable")
        }
    }

    /// Parity: AFN-block-new-stream
    @Test(.timeLimit(.minutes(5))) func isRecreatedForEachAttempt() async throws {
        let body = RequestBody.replayable { Chunks(chunks: ["a", "b"]) }
        let make = try #require(body.freshReader)
        for _ in 0..<3 { #expect(try await read(make()) == "ab") }
        #expect(try body.replayed(for: "a test").isReplayable)
    }

    @Test func reportsTheSizeOfAFile() throws {
        try withFolder { folder in
            let url = folder.appending(path: "with space ü")
            try Data("0123456789".utf8).write(to: url)
            #expect(try RequestBody.file(url).length == 10)
            #expect(try RequestBody.file(url).isReplayable)
            #expect(try RequestBody.file(url, range: 2..<5).length == 3)
            #expect(try RequestBody.file(url, range: 10..<10).length == 0)
            #expect(try RequestBody.file(url, range: 0..<10).length == 10)
            #expect(code { try RequestBody.file(url, range: 0..<11) } == .fileUnreadable)
            #expect(code { try RequestBody.file(url, range: -1..<5) } == .fileUnreadable)
            #expect(code { try RequestBody.file(url, range: 11..<11) } == .fileUnreadable)
        }
    }

    @Test func rejectsUnreadableFiles() throws {
        try withFolder { folder in
            #expect(code { try RequestBody.file(folder) } == .fileUnreadable)
            #expect(code { try RequestBody.file(folder.appending(path: "missing")) } == .fileUnreadable)
            #expect(code { try RequestBody.file(try #require(URL(string: "https://h/f"))) } == .fileUnreadable)
            #expect(code { try RequestBody.file(URL(filePath: "/dev/null")) } == .fileUnreadable)
            let missing = folder.appending(path: "missing")
            let error = #expect(throws: ApusError.self) { try RequestBody.file(missing) }
            #expect(error?.fileURL?.path == missing.path)
        }
    }

    /// Root can read every file.
    @Test(.enabled(if: getuid() != 0)) func rejectsAFileWithoutReadPermission() throws {
        try withFolder { folder in
            let url = folder.appending(path: "closed")
            try Data("x".utf8).write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: url.path(percentEncoded: false))
            #expect(code { try RequestBody.file(url) } == .fileUnreadable)
        }
    }

    @Test func detectsAChangedFile() throws {
        try withFolder { folder in
            let url = folder.appending(path: "file")
            try Data("0123456789".utf8).write(to: url)
            let file = try #require(RequestBody.file(url).fileContent)
            let unchanged = try FileHandle(forReadingFrom: url)
            try FileContent.verify(descriptor: unchanged.fileDescriptor, is: file)
            try unchanged.close()
            try Data("01234567890".utf8).write(to: url)
            let changed = try FileHandle(forReadingFrom: url)
            #expect(code { try FileContent.verify(descriptor: changed.fileDescriptor, is: file) } == .fileChanged)
            try changed.close()
        }
    }

    @Test func detectsAChangeThatKeepsTheSize() throws {
        try withFolder { folder in
            let url = folder.appending(path: "file")
            try Data("a".utf8).write(to: url)
            let file = try #require(RequestBody.file(url).fileContent)
            try Data("b".utf8).write(to: url)
            let path = url.path(percentEncoded: false)
            let later = Date(timeIntervalSince1970: 1_000_000_000)
            try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: path)
            let handle = try FileHandle(forReadingFrom: url)
            #expect(code { try FileContent.verify(descriptor: handle.fileDescriptor, is: file) } == .fileChanged)
            try handle.close()
        }
    }

    private func withFolder(_ work: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try work(folder)
    }
}

extension RequestBody {
    fileprivate var onceContent: OnceContent? {
        if case .once(let content) = storage { content } else { nil }
    }

    fileprivate var freshReader: (@Sendable () async throws -> BodyReader)? {
        if case .replayable(_, let make, _) = storage { make } else { nil }
    }

    fileprivate var fileContent: FileContent? {
        if case .file(let file) = storage { file } else { nil }
    }
}
