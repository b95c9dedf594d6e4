internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusParameters

/// Encodes forms as bytes, streams and files.
@Suite(.timeLimit(.minutes(5))) struct MultipartEncodingTests {
    private let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
    }

    /// Parity: AF-multipart-threshold
    @Test func isEncodedInMemoryBelowItsThreshold() throws {
        var form = MultipartFormData()
        form.append(Data(count: 1000), withName: "data")
        try form.append(.string("text"), withName: "text")
        try form.append(.none, withName: "nothing")
        let length = Int(try #require(form.contentLength))
        #expect(try form.makeBody().isInMemory)
        #expect(try form.makeBody(encodingMemoryThreshold: length + 1).isInMemory)
        #expect(try !form.makeBody(encodingMemoryThreshold: length).isInMemory)
        #expect(try !form.makeBody(encodingMemoryThreshold: 0).isInMemory)
        #expect(try !form.makeBody(encodingMemoryThreshold: -1).isInMemory)
        #expect(MultipartFormData.encodingMemoryThreshold == 10_000_000)
    }

    /// Parity: AF-multipart-temporary-file
    @Test func isStreamedIfAPartIsNotInMemory() throws {
        var form = MultipartFormData()
        try form.append(scratch.write(Data("x".utf8), to: "small"), withName: "small")
        #expect(try !form.makeBody().isInMemory)
        #expect(try form.makeBody().isReplayable)
    }

    /// Parity: AF-multipart-single-use, AFN-multipart-again
    @Test func isReplayableIfAllItsPartsAre() async throws {
        var form = MultipartFormData()
        form.append("text", withName: "text")
        try form.append(scratch.write(Data("x".utf8), to: "file"), withName: "file")
        try form.append(withLength: nil, name: "stream") { chunks(["a", "b"]) }
        let body = try form.makeBody()
        let first = try await body.read
        #expect(try await body.replayed(for: "a test").read == first)
        #expect(try await form.makeBody().read == first)
    }

    /// Parity: AF-multipart-single-use
    @Test func isReadOnceIfAPartIs() async throws {
        var form = MultipartFormData()
        form.append("text", withName: "text")
        try form.append(chunks(["a"]), withLength: 1, name: "stream")
        let (body, second) = (try form.makeBody(), try form.makeBody())
        #expect(body.isReplayable)
        #expect(try await body.read.count == Int(form.contentLength ?? 0))
        #expect(!body.isReplayable)
        #expect(await failure { try body.replayed(for: "the redirect") }?.code == .bodyNotReplayable)
        #expect(await failure { try await body.read }?.code == .bodyNotReplayable)

        let error = await failure { try await second.read }
        #expect(error?.code == .bodyNotReplayable)
        #expect(error?.detail.hasPrefix("the part 'stream': ") == true)
        for error in [await failure { try form.makeBody() }, await failure { try await form.encode() }] {
            #expect(error?.code == .bodyNotReplayable)
            #expect(error?.detail == "the part 'stream': its stream can be read only once, and was read already")
        }
    }

    /// The files of procfs have a size of 0. Their length is known only after reading them.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")))
    func readsAFileWithoutASizeToItsEnd() async throws {
        var form = try MultipartFormData(boundary: "b")
        form.append("first", withName: "ahead")
        try form.append(URL(filePath: "/proc/self/status"), withName: "status")
        form.append("last", withName: "behind")
        try #require(form.parts.count == 3)
        #expect(form.parts[1].contentLength == nil)
        #expect(form.contentLength == nil)
        let body = try form.makeBody()
        #expect(body.length == nil)
        let replayed = try body.replayed(for: "a test")
        // Each body is read from the first byte.
        for body in [body, replayed] {
            let parts = try ReadMultipart(await body.read, boundary: "b").parts
            let contents = parts.map { String(decoding: $0.content, as: UTF8.self) }
            try #require(contents.count == 3)
            #expect(contents[1].hasPrefix("Name:") && contents[1].contains("\nPid:") && contents[1].hasSuffix("\n"))
            #expect(contents[0] == "first" && contents[2] == "last")
        }
    }

    @Test func limitsTheBytesInMemory() async throws {
        var form = try MultipartFormData(boundary: "b")
        form.append("0123456789", withName: "known")
        let length = Int(try #require(form.contentLength))
        #expect(try await form.encode(upTo: length).count == length)
        #expect(await failure { try await form.encode(upTo: length - 1) }?.code == .multipartEncodingFailed)

        var other = try MultipartFormData(boundary: "b")
        try other.append(.replayable { chunks(["01234", "56789"]) }, withName: "known")
        #expect(other.contentLength == nil)
        #expect(try await other.encode(upTo: length).count == length)
        #expect(await failure { try await other.encode(upTo: length - 1) }?.code == .multipartEncodingFailed)
    }

    @Test func doesNotPreallocateTheDeclaredLength() async throws {
        var form = MultipartFormData()
        try form.append(chunks(["a"]), withLength: 1 << 50, name: "endless")
        #expect(await failure { try await form.encode(upTo: .max) }?.code == .multipartEncodingFailed)
    }

    // MARK: Files

    /// Parity: AF-multipart-write
    @Test func isWrittenToAFile() async throws {
        let source = try scratch.write(Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0) }), to: "source")
        var form = MultipartFormData()
        form.append("text", withName: "text")
        try form.append(source, withName: "file")
        try form.append(withLength: nil, name: "stream") { chunks(["a", "b"]) }
        let target = scratch.url("target ü")
        try await form.writeEncodedData(to: target)
        #expect(try await Data(contentsOf: target) == form.encode())
    }

    /// Parity: AF-multipart-write-exists
    @Test func doesNotOverwriteAnExistingFile() async throws {
        let target = try scratch.write(Data("old".utf8), to: "target")
        let error = await failure { try await MultipartFormData().writeEncodedData(to: target) }
        #expect(error?.code == .fileExists)
        #expect(try Data(contentsOf: target) == Data("old".utf8))
    }

    /// Parity: AF-multipart-write-exists, AF-error-multipart
    @Test func reportsFilesThatCantBeWritten() async throws {
        let web = try #require(URL(string: "https://h/file"))
        for url in [web, scratch.url, scratch.url("missing/file"), URL(filePath: "/dev/full")] {
            let error = await failure { try await MultipartFormData().writeEncodedData(to: url) }
            #expect(error?.code == .fileUnwritable, "\(url)")
        }
        #expect(try scratch.names.isEmpty)
    }

    @Test func leavesNoFileIfItFails() async throws {
        var form = MultipartFormData()
        form.append(Data(count: 1_000_000), withName: "large")
        try form.append(withLength: 3, name: "stream") { chunks(["a"]) }
        let error = await failure { try await form.writeEncodedData(to: scratch.url("target")) }
        #expect(error?.code == .multipartEncodingFailed)
        #expect(try scratch.names.isEmpty)
    }

    @Test func leavesNoFileIfItIsCancelled() async throws {
        let (reads, continuation) = AsyncStream<Void>.makeStream()
        var form = MultipartFormData()
        try form.append(withLength: nil, name: "endless") {
            AsyncStream<BodyChunk>(unfolding: {
                continuation.yield()
                return Task.isCancelled ? nil : BodyChunk(repeatElement(0, count: 1000))
            })
        }
        let target = scratch.url("target")
        let writing = Task { [form] in await failure { try await form.writeEncodedData(to: target) } }
        var iterator = reads.makeAsyncIterator()
        for _ in 0..<3 { await iterator.next() }
        writing.cancel()
        #expect(await writing.value?.code == .cancelled)
        #expect(try scratch.names.isEmpty)
    }
}
