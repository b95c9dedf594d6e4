internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DecodedLinesTests {
    private struct Item: Codable, Hashable {
        var id: Int
        var note: String?
    }

    private func items(of chunks: [String]) async throws(ApusError) -> [Item] {
        var items: [Item] = []
        var iterator = ResponseBody.stream(ScriptedBody(chunks)).decoded(Item.self).makeAsyncIterator()
        while let item = try await iterator.next() { items.append(item) }
        return items
    }

    @Test func decodesEachLine() async throws {
        let chunks = [#"{"id":1}"#, "\n{\"id\":", "2,\"note\":\"Gr", "üße\"}\r\n", #"{"id":3}"#]
        #expect(try await items(of: chunks) == [Item(id: 1), Item(id: 2, note: "Grüße"), Item(id: 3)])
        #expect(try await items(of: []) == [])
    }

    @Test func skipsEmptyLines() async throws {
        #expect(try await items(of: ["\n\r\n{\"id\":1}\n \t\n\n", "{\"id\":2}\n\n"]) == [Item(id: 1), Item(id: 2)])
    }

    @Test func keepsSeparatorsOfUnicodeInAString() async throws {
        #expect(try await items(of: ["{\"id\":1,\"note\":\"a\u{2028}b\u{85}c\"}\n"]).first?.note == "a\u{2028}b\u{85}c")
    }

    @Test func infersTheType() async throws {
        let values: DecodedLines<Int> = ResponseBody.whole(BodyChunk("1\n2\n")).decoded()
        var sum = 0
        for try await value in values { sum += value }
        #expect(sum == 3)
    }

    @Test func usesItsDecoder() async throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Name: Decodable, Sendable { var firstName: String }
        let body = ResponseBody.whole(BodyChunk(#"{"first_name":"Ada"}"#))
        var iterator = body.decoded(Name.self, decoder: decoder).makeAsyncIterator()
        #expect(try await iterator.next()?.firstName == "Ada")
    }

    @Test(arguments: [
        ("{\"id\":1}\n\n{\"id\":\"x\"}\n{\"id\":2}", "line 3 is not a valid Item: there is no Int at id"),
        ("{}\n", "line 1 is not a valid Item: the key 'id' is missing at the top"),
    ]) func namesTheLineThatCannotBeDecoded(text: String, detail: String) async throws {
        let source = ScriptedBody([text])
        let body = ResponseBody.stream(source)
        var iterator = body.decoded(Item.self).makeAsyncIterator()
        let error = await failure {
            while try await iterator.next() != nil {}
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.detail == detail)
        #expect(error?.underlying is DecodingError)
        #expect(source.cancels == 1)
        #expect(try await iterator.next() == nil)
    }

    @Test func rejectsInvalidJSON() async throws {
        let error = await failure { try await items(of: ["{\"id\":1}\n{\"id\":2"]) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.detail.hasPrefix("line 2 is not a valid Item: ") == true)
    }

    @Test func limitsTheLengthOfALine() async throws {
        let body = ResponseBody.whole(BodyChunk("123\n1234\n"))
        var iterator = body.decoded(Int.self, limitBytes: 3).makeAsyncIterator()
        #expect(try await iterator.next() == 123)
        let error = await failure { try await iterator.next() }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.detail.hasPrefix("line 2 ") == true)
    }

    /// Parity: AF-session-stream-values
    @Test func namesTheRequestOfAStreamedResponse() async throws {
        let test = TestSession { _ in MockResponse(chunks: [BodyChunk("1\n"), BodyChunk("\"a\"\n"), BodyChunk("3\n")]) }
        let response = try await test.session.stream("http://h/numbers")
        var iterator = response.body.decoded(Int.self).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        let error = await failure { try await iterator.next() }
        #expect(error?.url == "http://h/numbers")
        #expect(error?.description.hasPrefix("GET http://h/numbers could not read the body: line 2 ") == true)
        #expect(test.session.requestCounts == (0, 0))
        try await assertNothingLeft(test.session)
    }
}
