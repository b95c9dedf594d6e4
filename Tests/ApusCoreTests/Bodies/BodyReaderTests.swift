internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct BodyReaderTests {
    private func read(_ body: RequestBody) async throws -> String {
        let reader = try await body.open()
        var text = ""
        while let chunk = try await reader.next() { text += String(chunk) + "|" }
        #expect(try await reader.next() == nil)
        return text
    }

    private static func stream() -> AsyncStream<BodyChunk> {
        AsyncStream { stream in
            stream.yield(BodyChunk("a"))
            stream.yield(BodyChunk("b"))
            stream.finish()
        }
    }

    @Test func readsEveryKindOfBodyFromItsFirstByte() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try Data("abc".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let bodies: [(RequestBody, String)] = [
            (.none, ""), (.string("abc"), "abc|"), (try .file(url), "abc|"), (try .file(url, range: 1..<2), "b|"),
            (.replayable { Self.stream() }, "a|b|"),
        ]
        for (body, text) in bodies {
            for _ in 0..<2 { #expect(try await read(body) == text) }
        }
    }

    @Test func readsAStreamOnce() async throws {
        let body = RequestBody.once(Self.stream())
        #expect(try await read(body) == "a|b|")
        let error = await #expect(throws: ApusError.self) { try await body.open() }
        #expect(error?.code == .bodyNotReplayable)
    }
}
