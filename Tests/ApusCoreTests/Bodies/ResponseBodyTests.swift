internal import ApusTestSupport
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct ResponseBodyTests {
    private func read(_ body: ResponseBody) async throws(ApusError) -> String {
        var text = ""
        var iterator = body.makeAsyncIterator()
        while let chunk = try await iterator.next() { text += String(chunk) }
        return text
    }

    private func code(_ work: () async throws -> some Any) async -> ApusError.Code? {
        do {
            _ = try await work()
            return nil
        } catch {
            return (error as? ApusError)?.code
        }
    }

    @Test func readsToTheEnd() async throws {
        #expect(try await read(.empty) == "")
        #expect(try await read(.whole(BodyChunk("ab"))) == "ab")
        #expect(try await read(.stream(ScriptedBody(["a", "b"]))) == "ab")
    }

    @Test func reportsWhetherItIsEmpty() {
        #expect(ResponseBody.empty.isEmpty)
        #expect(ResponseBody.whole(BodyChunk("")).isEmpty)
        #expect(!ResponseBody.whole(BodyChunk("a")).isEmpty)
        #expect(!ResponseBody.stream(ScriptedBody([])).isEmpty)
    }

    @Test func allowsOneReaderPerStream() async throws {
        let body = ResponseBody.stream(ScriptedBody(["a"]))
        let copy = body
        #expect(try await read(body) == "a")
        #expect(await code { try await read(copy) } == .bodyAlreadyRead)
        #expect(await code { try await read(body) } == .bodyAlreadyRead)
    }

    @Test func staysAtItsEnd() async throws {
        var iterator = ResponseBody.stream(ScriptedBody([], failure: ApusError(.connectionClosed, "x")))
            .makeAsyncIterator()
        await #expect(throws: ApusError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        var whole = ResponseBody.whole(BodyChunk("a")).makeAsyncIterator()
        #expect(try await whole.next() == BodyChunk("a"))
        #expect(try await whole.next() == nil)
        #expect(try await whole.next() == nil)
    }

    @Test func cancelsWhenTheLastCopyIsReleased() async throws {
        let source = ScriptedBody(["a", "b"])
        var body: ResponseBody? = .stream(source)
        var copy = body
        body = nil
        #expect(source.cancels == 0)
        _ = copy
        copy = nil
        #expect(source.cancels == 1)
    }

    @Test func cancelsWhenTheIteratorIsReleased() async throws {
        let source = ScriptedBody(["a", "b"])
        func readOne() async throws -> BodyChunk? {
            var iterator = ResponseBody.stream(source).makeAsyncIterator()
            return try await iterator.next()
        }
        #expect(try await readOne() == BodyChunk("a"))
        #expect(source.cancels == 1)
        #expect(source.reads == 1)
    }

    @Test func discardsAnUnreadBody() {
        let source = ScriptedBody(["a"])
        let body = ResponseBody.stream(source)
        body.discard()
        #expect(source.discards == 1)
        #expect(source.cancels == 0)
        ResponseBody.empty.discard()
        ResponseBody.whole(BodyChunk("a")).discard()
    }

    @Test func cancelsAPartlyReadBody() async throws {
        let source = ScriptedBody(["a", "b"])
        let body = ResponseBody.stream(source)
        var iterator = body.makeAsyncIterator()
        _ = try await iterator.next()
        body.discard()
        #expect(source.discards == 0)
        #expect(source.cancels == 1)
    }

    @Test func hasTheTrailersOfItsSource() {
        #expect(ResponseBody.stream(ScriptedBody([], trailers: [.eTag: "x"])).trailers?[.eTag] == "x")
        #expect(ResponseBody.whole(BodyChunk("a")).trailers == nil)
        #expect(ResponseBody.empty.trailers == nil)
    }

    // MARK: Collecting

    static let limits: [([String], Int, Int64?, Bool)] = [
        (["abcd"], 3, nil, false), (["abcd"], 4, nil, true), (["abcd"], 5, nil, true),
        (["ab", "cd"], 3, nil, false), (["ab", "cd"], 4, nil, true), (["ab", "cd"], 5, nil, true),
        (["ab", "cd"], 4, 4, true), (["ab", "cd"], 4, 5, false), (["ab", "cd"], 4, Int64.max, false),
        (["ab", "cd"], 4, 0, true), (["ab", "cd"], 4, -1, true), ([], 0, nil, true), ([], 0, 0, true),
        (["a"], 0, nil, false),
    ]

    @Test(arguments: limits)
    func collectsUpToALimit(chunks: [String], limit: Int, expecting: Int64?, fits: Bool) async throws {
        let text = chunks.joined()
        let collected = await code {
            let data = try await ResponseBody.stream(ScriptedBody(chunks)).collect(upTo: limit, expecting: expecting)
            #expect(data == Data(text.utf8))
        }
        #expect(collected == (fits ? nil : .bodyTooLarge))
        guard expecting == nil else { return }
        let whole = await code { try await ResponseBody.whole(BodyChunk(text)).collect(upTo: limit) }
        #expect(whole == (fits ? nil : .bodyTooLarge))
    }

    @Test func rejectsATooLargeDeclaredLengthWithoutReading() async {
        let source = ScriptedBody(["ab"])
        let body = ResponseBody.stream(source)
        #expect(await code { try await body.collect(upTo: 1, expecting: 2) } == .bodyTooLarge)
        #expect(source.reads == 0)
    }

    @Test func reportsProgress() async throws {
        var counts: [Int64] = []
        _ = try await ResponseBody.stream(ScriptedBody(["a", "bc"])).collect(upTo: 9) { counts.append($0) }
        _ = try await ResponseBody.whole(BodyChunk("abcd")).collect(upTo: 9) { counts.append($0) }
        #expect(counts == [1, 3, 4])
    }

    @Test func throwsTheErrorOfAFailedBody() async {
        let body = ResponseBody.stream(ScriptedBody(["a"], failure: ApusError(.connectionClosed, "x")))
        #expect(await code { try await body.collect(upTo: 9) } == .connectionClosed)
    }

    @Test(arguments: [(0, ""), (1, "a"), (2, "ab"), (3, "abc"), (4, "abcd"), (5, "abcd")])
    func collectsAPrefix(limit: Int, expected: String) async {
        #expect(await ResponseBody.stream(ScriptedBody(["ab", "cd"])).collectPrefix(limit) == Data(expected.utf8))
        #expect(await ResponseBody.whole(BodyChunk("abcd")).collectPrefix(limit) == Data(expected.utf8))
    }

    @Test(arguments: [(0, ""), (1, "a"), (3, "abc"), (4, "abcd"), (5, "abcd")])
    func keepsABeginningAndReadsTheRest(count: Int, expected: String) async throws {
        let data = try await ResponseBody.stream(ScriptedBody(["ab", "cd"])).collectBeginning(count, upTo: 4)
        #expect(data == Data(expected.utf8))
        let whole = try await ResponseBody.whole(BodyChunk("abcd")).collectBeginning(count, upTo: 4)
        #expect(whole == data)
        let long = ResponseBody.stream(ScriptedBody(["ab", "cd"]))
        #expect(await code { try await long.collectBeginning(count, upTo: 3) } == .bodyTooLarge)
        let cut = ResponseBody.stream(ScriptedBody(["abcd"], failure: ApusError(.connectionClosed, "x")))
        #expect(await code { try await cut.collectBeginning(count, upTo: 9) } == .connectionClosed)
    }

    @Test func keepsThePrefixOfABodyThatFails() async {
        let body = ResponseBody.stream(ScriptedBody(["ab"], failure: ApusError(.connectionClosed, "x")))
        #expect(await body.collectPrefix(9) == Data("ab".utf8))
    }
}
