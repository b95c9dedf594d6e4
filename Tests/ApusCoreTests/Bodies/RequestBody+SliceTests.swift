internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestBodySliceTests {
    private static let text = "0123456789"

    private static let ranges: [Range<Int64>] = [0..<10, 0..<0, 0..<1, 3..<7, 9..<10, 10..<10]

    private func expected(_ range: Range<Int64>) -> String {
        String(Self.text.dropFirst(Int(range.lowerBound)).prefix(range.count))
    }

    private func read(_ body: RequestBody?) async throws -> String {
        String(decoding: try await #require(body).data(), as: UTF8.self)
    }

    /// Returns a stream whose chunks have that many bytes.
    private func stream(_ size: Int) -> RequestBody {
        let bytes = Array(Self.text.utf8)
        return .replayable(length: 10) {
            AsyncStream<BodyChunk> { stream in
                for start in stride(from: 0, to: bytes.count, by: size) {
                    stream.yield(BodyChunk(bytes[start..<min(start + size, bytes.count)]))
                }
                stream.finish()
            }
        }
    }

    @Test(arguments: ranges) func returnsAPartOfBytes(range: Range<Int64>) async throws {
        let part = RequestBody.string(Self.text).slice(range)
        #expect(part?.length == Int64(range.count))
        #expect(try await read(part) == expected(range))
    }

    @Test(arguments: ranges, [1, 3, 4, 10]) func returnsAPartOfAStream(range: Range<Int64>, size: Int) async throws {
        let part = stream(size).slice(range)
        #expect(part?.length == Int64(range.count))
        #expect(part?.isReplayable == true)
        // Each reading begins anew.
        for _ in 0..<2 { #expect(try await read(part) == expected(range)) }
    }

    @Test(arguments: ranges) func returnsAPartOfAFile(range: Range<Int64>) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write("ab\(Self.text)cd", to: "file")
        let whole = try RequestBody.file(file, range: 2..<12)
        let part = whole.slice(range)
        #expect(part?.length == Int64(range.count))
        #expect(try await read(part) == expected(range))
    }

    @Test func returnsAPartOfAPart() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write(Self.text, to: "file")
        let part = try #require(try RequestBody.file(file).slice(2..<9))
        #expect(try await read(part.slice(1..<3)) == "34")
    }

    @Test func detectsAChangedFile() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write(Self.text, to: "file")
        let whole = try RequestBody.file(file)
        try folder.write("9876543210+", to: "file")
        let part = try #require(whole.slice(2..<5))
        #expect(await failure { try await part.data() }?.code == .fileChanged)
    }

    @Test func hasNoPartBeyondItsLength() {
        let body = RequestBody.string(Self.text)
        #expect(body.slice(0..<11)?.length == nil)
        #expect(body.slice(5..<11)?.length == nil)
        #expect(body.slice(11..<11)?.length == nil)
        #expect(RequestBody.none.slice(0..<0)?.length == 0)
        #expect(RequestBody.none.slice(0..<1)?.length == nil)
    }

    @Test func hasNoPartOfABodyThatCantBeReadFromAnyByte() {
        let chunks = AsyncStream<BodyChunk> { $0.finish() }
        let bodies: [RequestBody] = [
            .once(length: 10, chunks), .replayable { chunks },
            RequestBody.string(Self.text).withTrailers(["X-End": "1"]),
        ]
        for body in bodies { #expect(body.slice(0..<5)?.length == nil) }
    }
}
