internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct RequestBodyDataTests {
    private struct Fault: Error {}

    private func stream(_ chunks: String..., fault: (any Error)? = nil) -> AsyncThrowingStream<BodyChunk, any Error> {
        AsyncThrowingStream { continuation in
            for chunk in chunks { continuation.yield(BodyChunk(chunk)) }
            continuation.finish(throwing: fault)
        }
    }

    @Test func returnsTheBytesOfEachKindOfBody() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("file".utf8), to: "file")
        let bodies: [(RequestBody, String)] = [
            (.none, ""), (.string("text"), "text"), (try .file(file), "file"),
            (.replayable { self.stream("a", "b") }, "ab"), (.once(stream("c", "d")), "cd"),
        ]
        for (body, text) in bodies { #expect(try await body.data() == Data(text.utf8)) }
    }

    @Test func readsABodyAgainOnlyIfItCanBeSentAgain() async throws {
        let replayable = RequestBody.replayable { self.stream("a") }
        for _ in 0..<2 { #expect(try await replayable.data() == Data("a".utf8)) }
        let once = RequestBody.once(stream("a"))
        _ = try await once.data()
        #expect(await failure { try await once.data() }?.code == .bodyNotReplayable)
        #expect(!once.isReplayable)
    }

    @Test(arguments: [(3, nil), (2, .bodyTooLarge)] as [(Int, ApusError.Code?)])
    func limitsTheNumberOfBytes(limit: Int, code: ApusError.Code?) async {
        for body in [RequestBody.string("abc"), .once(stream("ab", "c"))] {
            #expect(await failure { try await body.data(upTo: limit) }?.code == code)
        }
    }

    @Test func failsWithTheErrorOfTheStream() async {
        let error = await failure { try await RequestBody.once(stream("a", fault: Fault())).data() }
        #expect(error?.code == .requestBodyFailed)
        #expect(error?.underlying is Fault)
    }
}
