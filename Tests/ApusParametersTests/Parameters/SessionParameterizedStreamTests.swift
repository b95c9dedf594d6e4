internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct SessionParameterizedStreamTests {
    private static let url = "http://h/p?x"

    /// Parity: AF-session-stream
    @Test func sendsTheParametersAndStreamsTheBody() async throws {
        let test = TestSession { _ in MockResponse(fields: [.contentType: "a/b"], body: "content") }
        let query = [URLQueryItem(name: "q", value: "1")]
        let requests = [
            test.session.streamRequest(Self.url, parameters: ["a": "b c"]),
            test.session.streamRequest(
                Self.url,
                method: .post,
                query: query,
                parameters: ["a": 1],
                encoder: .json,
                fields: [.accept: "a/b"]
            ) { $0.fields[.from] = "ada@example.org" },
            test.session.streamRequest(Self.url, parameters: [String: Int]?.none),
            test.session.streamRequest(Self.url, method: .put, body: .string("x")) {
                $0.fields[.from] = "eve@example.org"
            },
        ]
        for request in requests {
            var text = ""
            for await stream in request.validate().streamTask().streamingStrings() { text += stream.value ?? "" }
            #expect(text == "content")
        }
        let sent = test.transport.requests
        #expect(sent.map(\.target.path) == ["/p?x&a=b%20c", "/p?x&q=1", "/p?x", "/p?x"])
        #expect(sent.map(\.method) == [.get, .post, .get, .put])
        #expect(try sent[1].sentString == #"{"a":1}"#)
        #expect(sent[1].fields[.accept] == "a/b")
        #expect(sent[1].fields[.from] == "ada@example.org")
        #expect(sent[3].fields[.from] == "eve@example.org")
        try await assertNothingLeft(test.session)
    }

    @Test func reportsParametersThatCanNotBeEncoded() async throws {
        let test = TestSession()
        let request = test.session.streamRequest(Self.url, parameters: ["a": Double.nan])
        for await stream in request.streamTask().streamingData() { #expect(stream.value == nil) }
        #expect(request.error?.code == .parameterEncodingFailed)
        #expect(test.requestCount == 0)
        try await assertNothingLeft(test.session)
    }
}
