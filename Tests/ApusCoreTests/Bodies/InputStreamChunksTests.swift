internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct InputStreamChunksTests {
    private struct Fault: Error {}

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func data(of count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) }) }

    private func read(_ body: RequestBody) async throws -> [BodyChunk] {
        let reader = try await body.open()
        var chunks: [BodyChunk] = []
        while let chunk = try await reader.next() { chunks.append(chunk) }
        return chunks
    }

    private func joined(_ chunks: [BodyChunk]) -> Data { chunks.reduce(into: Data()) { $0.append($1) } }

    private static let chunkBytes = InputStreamChunks.chunkBytes

    /// Parity: AF-multipart-stream
    @Test(arguments: [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 700_000])
    func readsBoundedChunks(count: Int) async throws {
        let data = data(of: count)
        let body = RequestBody.inputStream(length: Int64(count)) { InputStream(data: data) }
        #expect(body.length == Int64(count))
        let chunks = try await read(body)
        #expect(chunks.allSatisfy { (1...Self.chunkBytes).contains($0.count) })
        #expect(joined(chunks) == data)
    }

    @Test func readsAFile() async throws {
        let data = data(of: 600_000)
        let file = try folder.write(data, to: "file")
        let bodies: [RequestBody] = [
            .inputStream { InputStream(url: file) }, .inputStream { InputStream(fileAtPath: file.path) },
        ]
        for body in bodies { #expect(try await joined(read(body)) == data) }
    }

    /// Parity: AF-session-upload
    @Test func canBeSentAgainWithANewStream() async throws {
        let count = LockedValue(0)
        let body = RequestBody.inputStream {
            count.change { $0 += 1 }
            return InputStream(data: Data("abc".utf8))
        }
        #expect(body.length == nil)
        #expect(body.isReplayable && !body.isNone)
        for _ in 0..<3 { #expect(try await joined(read(body)) == Data("abc".utf8)) }
        #expect(count.value == 3)
        #expect(body.isReplayable)
    }

    @Test func isMadeWhenItsFirstChunkIsRequested() async throws {
        let count = LockedValue(0)
        let body = RequestBody.inputStream {
            count.change { $0 += 1 }
            return InputStream(data: Data())
        }
        let reader = try await body.open()
        #expect(count.value == 0)
        #expect(try await reader.next() == nil)
        #expect(try await reader.next() == nil)
        #expect(count.value == 1)
    }

    @Test func reportsAStreamThatCanNotBeMadeOrRead() async throws {
        let missing = folder.url("missing").path
        let bodies: [RequestBody] = [
            .inputStream { throw Fault() }, .inputStream { nil }, .inputStream { InputStream(fileAtPath: missing) },
            .inputStream {
                let used = InputStream(data: Data("abc".utf8))
                used.open()
                used.close()
                return used
            },
        ]
        var errors: [ApusError] = []
        for body in bodies {
            let reader = try await body.open()
            errors.append(try #require(await failure { try await reader.next() }))
            // After an error, the sequence has ended.
            #expect(try await reader.next() == nil)
        }
        #expect(errors.map(\.code) == Array(repeating: .requestBodyFailed, count: 4))
        #expect(errors[0].underlying is Fault)
        #expect(errors[1].detail.contains("returned none"))
        #expect(errors[2].underlying != nil)
        #expect(errors[3].detail.contains("used already"))
    }

    @Test func acceptsAnOpenStream() async throws {
        let body = RequestBody.inputStream {
            let stream = InputStream(data: Data("abc".utf8))
            stream.open()
            return stream
        }
        #expect(try await joined(read(body)) == Data("abc".utf8))
    }

    /// Parity: AF-session-upload
    @Test(arguments: [nil, Int64(600_000)]) func readsAStreamOfTheCallerOnce(length: Int64?) async throws {
        let data = data(of: 600_000)
        let body = RequestBody.inputStream(length: length, InputStream(data: data))
        #expect(body.length == length)
        #expect(body.isReplayable && body.isReadOnce)
        let chunks = try await read(body)
        #expect(chunks.allSatisfy { (1...Self.chunkBytes).contains($0.count) })
        #expect(joined(chunks) == data)
        #expect(!body.isReplayable)
        let error = await #expect(throws: ApusError.self) { try await body.open() }
        #expect(error?.code == .bodyNotReplayable)
    }

    @Test func rejectsAUsedStreamOfTheCaller() async throws {
        let used = InputStream(data: Data("abc".utf8))
        used.open()
        used.close()
        let body = RequestBody.inputStream(used)
        let reader = try await body.open()
        let error = await failure { try await reader.next() }
        #expect(error?.code == .requestBodyFailed)
        #expect(error?.detail.contains("used already") == true)
        #expect(try await reader.next() == nil)
    }
}
