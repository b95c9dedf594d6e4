internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct StreamTests {
    private func session(_ source: some BodySource, fields: HTTPFields = [:]) -> Session {
        Session(transport: BodyTransport(fields: fields) { _ in .stream(source) })
    }

    /// Parity: AF-session-stream
    @Test func returnsWithTheHeadAndReadsOnDemand() async throws {
        let source = ScriptedBody(["a", "b"], trailers: [.eTag: "x"])
        let session = session(source, fields: [.contentLength: "2"])
        let response = try await session.stream("http://h/?a", query: [URLQueryItem(name: "b", value: "c")])
        #expect(response.status == .ok)
        #expect(response.expectedLength == 2)
        #expect(response.target.path == "/?a&b=c")
        #expect(source.reads == 0)
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next() == BodyChunk("a"))
        #expect(source.reads == 1)
        #expect(session.requestCounts == (1, 0))
        #expect(try await iterator.next() == BodyChunk("b"))
        #expect(try await iterator.next() == nil)
        #expect(session.requestCounts == (0, 0))
        #expect(response.body.trailers?[.eTag] == "x")
        try await assertNothingLeft(session)
    }

    @Test(arguments: ["", "a"]) func streamsBodiesInMemory(body: String) async throws {
        let session = Session(transport: MockTransport { _ in MockResponse(body: body) })
        var text = ""
        for try await chunk in try await session.stream("http://h/").body { text += String(chunk) }
        #expect(text == body)
        try await assertNothingLeft(session)
    }

    @Test func canBeReadOnceOnly() async throws {
        let session = session(ScriptedBody(["a"]))
        let response = try await session.stream("http://h/")
        for try await _ in response.body {}
        let error = await failure { for try await _ in response.body {} }
        #expect(error?.code == .bodyAlreadyRead)
        try await assertNothingLeft(session)
    }

    @Test func cancelsABodyThatIsNotRead() async throws {
        let source = ScriptedBody(["a", "b"])
        let session = session(source)
        func drop() async throws { _ = try await session.stream("http://h/") }
        try await drop()
        #expect(await eventually { session.requestCounts == (0, 0) })
        #expect(source.cancels >= 1)
        #expect(source.reads == 0)
        try await assertNothingLeft(session)
    }

    @Test func cancelsABodyThatIsReadInPart() async throws {
        let source = ScriptedBody(["a", "b"])
        let session = session(source)
        func readOne() async throws {
            for try await _ in try await session.stream("http://h/").body { break }
        }
        try await readOne()
        #expect(await eventually { session.requestCounts == (0, 0) })
        #expect(source.cancels >= 1)
        try await assertNothingLeft(session)
    }

    @Test func discardsTheRest() async throws {
        let source = ScriptedBody(["a", "b"])
        let session = session(source)
        let response = try await session.stream("http://h/")
        response.body.discard()
        #expect(source.discards == 1)
        #expect(session.requestCounts == (0, 0))
        response.body.discard()
        try await assertNothingLeft(session)
    }

    @Test func throwsTheErrorOfItsSource() async throws {
        let session = session(ScriptedBody(["a"], failure: ApusError(.connectionClosed, "gone")))
        let response = try await session.stream("http://h/?token=sesame")
        let error = await failure { for try await _ in response.body {} }
        #expect(error?.code == .connectionClosed)
        #expect(error?.method == .get)
        #expect(error?.url == "http://h/?token=…")
        #expect(session.requestCounts == (0, 0))
        try await assertNothingLeft(session)
    }

    @Test func isCancelledWithTheReadingTask() async throws {
        let barrier = Barrier()
        let session = session(HeldBody(["a", "b"], before: 1, barrier))
        let reader = Task { () -> ApusError? in
            await failure { for try await _ in try await session.stream("http://h/").body {} }
        }
        await barrier.reached()
        reader.cancel()
        #expect(await reader.value?.code == .cancelled)
        try await assertNothingLeft(session)
    }

    @Test func returnsAResponseOfAnyStatus() async throws {
        let session = Session(transport: BodyTransport(status: .notFound) { _ in .stream(ScriptedBody(["a"])) })
        #expect(try await session.stream("http://h/").status == .notFound)
    }

    @Test func rejectsGETAndHEADWithABody() async throws {
        let session = session(ScriptedBody([]))
        for method in [HTTPRequest.Method.get, .head] {
            let error = await failure { try await session.stream("http://h/", method: method, body: .string("x")) }
            #expect(error?.code == .invalidRequest)
        }
        #expect(await failure { try await session.stream("nonsense") }?.code == .invalidURL)
        try await assertNothingLeft(session)
    }
}
