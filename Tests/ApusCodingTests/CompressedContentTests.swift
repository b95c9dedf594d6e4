internal import Foundation
internal import Testing

@testable internal import ApusCoding
@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct CompressedContentTests {
    private struct Broken: Error {}

    /// Yields pieces, and counts them.
    private struct Source: AsyncSequence, Sendable {
        let pieces: [[UInt8]]
        var isBroken = false
        let taken = Tally()

        func makeAsyncIterator() -> AsyncThrowingStream<BodyChunk, any Error>.Iterator {
            let next = Lock(0)
            return AsyncThrowingStream<BodyChunk, any Error> { [pieces, isBroken, taken] in
                let index = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard index < pieces.count else {
                    if isBroken { throw Broken() }
                    return nil
                }
                taken.add(pieces[index].count)
                return BodyChunk(pieces[index])
            }.makeAsyncIterator()
        }
    }

    private func compressed(_ body: RequestBody, level: Int = 6) -> CompressedContent {
        CompressedContent(content: body, format: .gzip, level: level)
    }

    @Test(arguments: [1, 1000, 16 << 10, (16 << 10) + 1, 1 << 20])
    func compressesAStream(size: Int) async throws {
        let content = Coded.text(size == 1 ? 3000 : 600_000)
        for body in [
            RequestBody.once(Source(pieces: content.pieces(of: size))),
            .once(length: Int64(content.count), Source(pieces: content.pieces(of: size))),
            .replayable { Source(pieces: content.pieces(of: size)) }, .chunk(BodyChunk(content)),
        ] {
            #expect(try await inflate(compressed(body).read(), .gzip) == content)
        }
    }

    @Test func compressesAnEmptyBody() async throws {
        for body in [RequestBody.once(Source(pieces: [])), .once(Source(pieces: [[], [], []]))] {
            let coded = try await compressed(body).read()
            #expect(coded.count == 1)
            #expect(try inflate(coded, .gzip) == [])
        }
    }

    /// Eight mebibytes are incompressible, yet at most four pieces are read ahead of the output.
    @Test func buffersOnlyAFewPieces() async throws {
        let noise = DeflaterTests.noise(256 << 10).pieces(of: 64 << 10)
        let source = Source(pieces: (0..<32).flatMap { _ in noise })
        var iterator = compressed(.once(source), level: 1).makeAsyncIterator()
        var received = 0
        var most = 0
        while let piece = try await iterator.next() {
            #expect(piece.count <= Deflater.pieceBytes)
            most = max(most, source.taken.sum - received)
            received += piece.count
        }
        #expect(source.taken.sum == 8 << 20)
        #expect(received > 8 << 20)
        #expect(most <= 4 * Deflater.pieceBytes)
    }

    /// Highly compressible input is read until a piece is full or the input ends.
    @Test func readsOnUntilAPieceIsComplete() async throws {
        let source = Source(pieces: [[UInt8]](repeating: Coded.zeros(64 << 10), count: 100))
        let coded = try await compressed(.once(source)).read()
        #expect(coded.count == 1)
        #expect(try inflate(coded, .gzip).count == 100 * 64 << 10)
    }

    @Test func readsNothingBeforeTheFirstNext() async throws {
        let source = Source(pieces: [[1]])
        var iterator = compressed(.once(source)).makeAsyncIterator()
        #expect(source.taken.sum == 0)
        _ = try await iterator.next()
        #expect(source.taken.sum == 1)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test func rethrowsErrorsOfTheStream() async throws {
        let pieces = DeflaterTests.noise(256 << 10).pieces(of: 64 << 10)
        var iterator = compressed(.once(Source(pieces: pieces, isBroken: true))).makeAsyncIterator()
        var received = 0
        await #expect(throws: Broken.self) {
            while let piece = try await iterator.next() { received += piece.count }
        }
        #expect(received > 0)
        let failure = ApusError(.fileUnreadable, "it is gone")
        let body = RequestBody.replayable { () async throws -> Source in throw failure }
        let error = await #expect(throws: ApusError.self) { try await compressed(body).read() }
        #expect(error?.code == .fileUnreadable)
    }

    @Test(arguments: [(9, "produced more"), (11, "produced only 10")])
    func checksTheDeclaredLength(length: Int64, reason: String) async throws {
        for body in [
            RequestBody.once(length: length, Source(pieces: [[UInt8](repeating: 1, count: 4), Coded.zeros(6)])),
            .replayable(length: length) { Source(pieces: [Coded.zeros(10)]) },
        ] {
            let error = await #expect(throws: ApusError.self) { try await compressed(body).read() }
            #expect(error?.code == .requestBodyFailed)
            #expect(error?.detail.contains("declared \(length) bytes, but \(reason)") == true)
        }
    }

    @Test func isReadableOnceIfTheStreamIs() async throws {
        let content = compressed(.once(Source(pieces: [[1, 2]])))
        #expect(try await inflate(content.read(), .gzip) == [1, 2])
        let error = await #expect(throws: ApusError.self) { try await content.read() }
        #expect(error?.code == .bodyNotReplayable)
    }

    @Test func readsAFileAndAPartOfIt() async throws {
        let content = Coded.text(1 << 20)
        let file = FileManager.default.temporaryDirectory
            .appending(path: "apus-compressed-\(UInt64.random(in: 0 ... .max))")
        try Data(content).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let whole = compressed(try .file(file))
        for _ in 0..<2 { #expect(try await inflate(whole.read(), .gzip) == content) }
        let part = compressed(try .file(file, range: 1000..<200_000))
        #expect(try await inflate(part.read(), .gzip) == Array(content[1000..<200_000]))
        try Data("short".utf8).write(to: file)
        let error = await #expect(throws: ApusError.self) { try await whole.read() }
        #expect(error?.code == .fileChanged)
    }

    /// The standard library's streams end when their task is cancelled. That must not count as the end of the content.
    @Test func throwsIfItsTaskIsCancelled() async throws {
        for body in [
            RequestBody.once(Source(pieces: [Coded.zeros(1000)])),
            .chunk(BodyChunk(Coded.zeros(3 * Deflater.stepBytes))),
        ] {
            let gate = Deferred<Bool>()
            let task = Task {
                _ = await gate.value
                return try await compressed(body).read()
            }
            task.cancel()
            gate.fulfill(true)
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}

/// A counter that any task may increment.
final class Tally: Sendable {
    private let count = Lock(0)

    var sum: Int { count.withLock { $0 } }

    func add(_ more: Int) { count.withLock { $0 += more } }
}

extension CompressedContent {
    /// Reads to the end.
    func read() async throws -> [[UInt8]] { try await BodyReader(self).read() }
}

extension BodyReader {
    /// Reads to the end.
    func read() async throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        while let piece = try await next() { pieces.append(piece.bytes) }
        return pieces
    }
}
