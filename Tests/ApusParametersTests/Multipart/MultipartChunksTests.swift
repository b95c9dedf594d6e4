internal import Apus
internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusParameters

/// Forms are streamed in chunks of a suitable size. Errors name the part that failed.
@Suite(.timeLimit(.minutes(5))) struct MultipartChunksTests {
    private static let chunkBytes = 256 << 10

    private func sizes(_ body: RequestBody) async throws -> [Int] {
        let reader = try await body.open()
        var sizes: [Int] = []
        while let chunk = try await reader.next() { sizes.append(chunk.count) }
        return sizes
    }

    private func length(_ form: MultipartFormData) throws -> Int { Int(try #require(form.contentLength)) }

    @Test func combinesPartsInMemory() async throws {
        var form = MultipartFormData()
        for number in 0..<1000 { form.append("\(number)", withName: "field") }
        #expect(try await sizes(form.makeBody(encodingMemoryThreshold: 0)) == [length(form)])
        form.append(Data(count: 600_000), withName: "large")
        form.append("last", withName: "last")
        let whole = try length(form)
        let sizes = try await sizes(form.makeBody(encodingMemoryThreshold: 0))
        #expect(sizes.dropLast().allSatisfy { $0 >= Self.chunkBytes && $0 < Self.chunkBytes + 200 })
        #expect(sizes.reduce(0, +) == whole)
    }

    @Test func passesChunksOfAFileThroughUnchanged() async throws {
        let scratch = try TemporaryFolder()
        let url = try scratch.write(Data(count: 1_200_000), to: "large")
        let chunks = try await self.sizes(.file(url))
        #expect(chunks.count == 3)
        var form = try MultipartFormData(boundary: "b")
        form.append("first", withName: "first")
        try form.append(url, withName: "large")
        form.append("last", withName: "last")
        let sizes = try await sizes(form.makeBody())
        #expect(sizes.count == 5)
        #expect(Array(sizes.dropFirst().prefix(3)) == chunks)
    }

    /// Parity: AF-multipart-length-mismatch
    @Test(arguments: [(0, 1), (4, 5), (6, 5), (5, 4), (Int.max, 5)])
    func namesAStreamThatViolatesItsDeclaredLength(declaredLength: Int, actual: Int) async throws {
        let texts = Array(repeating: "x", count: actual)
        let bodies: [RequestBody] = [
            .once(length: Int64(declaredLength), chunks(texts)),
            .replayable(length: Int64(declaredLength)) { chunks(texts) },
        ]
        for body in bodies {
            var form = try MultipartFormData(boundary: "b")
            form.append("fine", withName: "first")
            try form.append(body, withName: "stream")
            form.append("never sent", withName: "last")
            let body = try form.makeBody()
            let error = await failure { try await body.read }
            let what = actual > declaredLength ? "produced more" : "\(declaredLength - actual) of them are missing"
            #expect(error?.code == .multipartEncodingFailed)
            #expect(error?.detail == "the part 'stream': its stream declared \(declaredLength) bytes, but \(what)")
        }
    }

    @Test func namesAStreamThatThrows() async throws {
        struct Broken: Error {}
        var form = MultipartFormData()
        try form.append(chunks(["x"], failing: Broken()), withLength: 5, name: "stream")
        let error = await failure { try await form.encode() }
        #expect(error?.code == .multipartEncodingFailed)
        #expect(error?.detail == "the part 'stream': its stream threw Broken()")
        #expect(error?.underlying is Broken)
    }

    @Test func namesAStreamThatCantBeCreated() async throws {
        struct Broken: Error {}
        var form = MultipartFormData()
        try form.append(withLength: nil, name: "stream") { () throws -> AsyncStream<BodyChunk> in throw Broken() }
        #expect(await failure { try await form.encode() }?.underlying is Broken)
    }

    @Test func namesAFileThatChanged() async throws {
        let scratch = try TemporaryFolder()
        let url = try scratch.write(Data(count: 3_000_000), to: "photo.jpg")
        var form = MultipartFormData()
        form.append("first", withName: "first")
        try form.append(url, withName: "photo")
        let body = try form.makeBody()
        #expect(try await body.read.count == length(form))

        let reader = try await body.open()
        _ = try await reader.next()
        _ = try await reader.next()
        try scratch.truncate("photo.jpg", to: 1_300_000)
        let shrunk = await failure { while try await reader.next() != nil {} }
        #expect(shrunk?.code == .fileChanged)
        #expect(shrunk?.detail.hasPrefix("the part 'photo': '\(url.path())' ended at byte 1300000") == true)
        #expect(shrunk?.fileURL?.path == url.path)

        let other = await failure { try await body.read }
        #expect(other?.code == .fileChanged)
        try scratch.truncate("photo.jpg", to: 4_000_000)
        #expect(await failure { try await form.encode() }?.code == .fileChanged)
        try FileManager.default.removeItem(at: url)
        let vanished = await failure { try await form.encode() }
        #expect(vanished?.code == .fileUnreadable)
        #expect(vanished?.detail.hasPrefix("the part 'photo': ") == true)
    }

    @Test func stopsReadingWhenCancelled() async throws {
        var form = MultipartFormData()
        form.append("x", withName: "y")
        let body = try form.makeBody(encodingMemoryThreshold: 0)
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { try await body.read }
        }
        #expect(await reading.value?.code == .cancelled)
    }
}
