internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct BodyLinesTests {
    private func lines(of body: ResponseBody) async throws(ApusError) -> [String] {
        var lines: [String] = []
        var iterator = body.lines.makeAsyncIterator()
        while let line = try await iterator.next() { lines.append(line) }
        return lines
    }

    @Test func readsTheLinesOfAnyBody() async throws {
        #expect(try await lines(of: .empty) == [])
        #expect(try await lines(of: .whole(BodyChunk("a\nb"))) == ["a", "b"])
        #expect(try await lines(of: .stream(ScriptedBody(["a\nb", "c\r", "\nd\n"]))) == ["a", "bc", "d"])
    }

    @Test func readsNoChunkBeforeItIsNeeded() async throws {
        let source = ScriptedBody(["a\nb\n", "c\n", "d\n"])
        var iterator = ResponseBody.stream(source).lines.makeAsyncIterator()
        #expect(source.reads == 0)
        #expect(try await iterator.next() == "a")
        #expect(try await iterator.next() == "b")
        #expect(source.reads == 1)
        #expect(try await iterator.next() == "c")
        #expect(source.reads == 2)
    }

    @Test func returnsALineBeforeTheNextChunkArrives() async throws {
        let barrier = Barrier()
        let source = HeldBody(["a\nb", "\n"], before: 1, barrier)
        var iterator = ResponseBody.stream(source).lines.makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        barrier.open()
        #expect(try await iterator.next() == "b")
        #expect(try await iterator.next() == nil)
    }

    @Test func readsABodyOnce() async throws {
        let body = ResponseBody.stream(ScriptedBody(["a\n"]))
        #expect(try await lines(of: body) == ["a"])
        #expect(await failure { try await lines(of: body) }?.code == .bodyAlreadyRead)
    }

    @Test func dropsTheUnfinishedLineOfABodyThatFails() async throws {
        let source = ScriptedBody(["a\nb"], failure: ApusError(.connectionClosed, "gone"))
        var iterator = ResponseBody.stream(source).lines.makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        let error = await #expect(throws: ApusError.self) { try await iterator.next() }
        #expect(error?.code == .connectionClosed)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test func cancelsABodyThatIsReleased() async throws {
        let source = ScriptedBody(["a\nb\n", "c\n"])
        func readOne() async throws -> String? {
            var iterator = ResponseBody.stream(source).lines.makeAsyncIterator()
            return try await iterator.next()
        }
        #expect(try await readOne() == "a")
        #expect(source.cancels == 1)
        #expect(source.reads == 1)
    }

    @Test func cancelsABodyWithALineAboveTheLimit() async throws {
        let source = ScriptedBody(["a\nbbbb\nc\n"])
        let body = ResponseBody.stream(source)
        var iterator = body.lines(limitBytes: 3).makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        #expect(await failure { try await iterator.next() }?.code == .bodyTooLarge)
        #expect(source.cancels == 1)
        #expect(try await iterator.next() == nil)
        withExtendedLifetime(body) {}
    }

    @Test func hasALimitByDefault() async throws {
        let line = String(repeating: "a", count: BodyLines.defaultLimitBytes)
        #expect(try await lines(of: .whole(BodyChunk(line))) == [line])
        #expect(await failure { try await lines(of: .whole(BodyChunk(line + "a"))) }?.code == .bodyTooLarge)
    }

    // MARK: Streamed responses

    /// Parity: AF-session-stream-values
    @Test func readsTheLinesOfAStreamedResponse() async throws {
        let chunks = [BodyChunk("Gr"), BodyChunk("üße\nan"), BodyChunk(" alle")]
        let test = TestSession { _ in MockResponse(chunks: chunks) }
        var lines: [String] = []
        for try await line in try await test.session.stream("http://h/").body.lines { lines.append(line) }
        #expect(lines == ["Grüße", "an alle"])
        try await assertNothingLeft(test.session)
    }

    @Test func endsTheRequestOfALineAboveTheLimit() async throws {
        let test = TestSession { _ in MockResponse(chunks: [BodyChunk("aa\n"), BodyChunk("bbb\n"), BodyChunk("c")]) }
        let response = try await test.session.stream("http://h/log?token=sesame")
        var iterator = response.body.lines(limitBytes: 2).makeAsyncIterator()
        #expect(try await iterator.next() == "aa")
        let error = await failure { try await iterator.next() }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.method == .get)
        #expect(error?.url == "http://h/log?token=…")
        #expect(error?.exchanges.count == 1)
        #expect(test.session.requestCounts == (0, 0))
        let completions = test.monitor.events.compactMap { event -> ApusError.Code? in
            if case .completed(let response) = event.event { response.error?.code } else { nil }
        }
        #expect(completions == [.bodyTooLarge])
        try await assertNothingLeft(test.session)
    }

    @Test func endsWithTheTaskThatReads() async throws {
        let barrier = Barrier()
        let source = HeldBody(["a\n", "b\n"], before: 1, barrier)
        let session = Session(transport: BodyTransport { _ in .stream(source) })
        let task = Task {
            for try await _ in try await session.stream("http://h/").body.lines {}
        }
        await barrier.reached()
        task.cancel()
        #expect(await failure { try await task.value }?.isCancelled == true)
        try await assertNothingLeft(session)
    }
}
