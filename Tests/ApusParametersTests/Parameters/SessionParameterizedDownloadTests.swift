internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct SessionParameterizedDownloadTests {
    private static let url = "http://h/p?x"

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Parity: AF-session-download-parameters
    @Test func sendsTheParametersAndWritesTheBody() async throws {
        let test = TestSession { _ in MockResponse(fields: [.contentType: "a/b"], body: "content") }
        let query = [URLQueryItem(name: "q", value: "1")]
        let requests = [
            test.session.download(Self.url, parameters: ["a": "b c"], to: .file(folder.url("0"))),
            test.session.download(
                Self.url,
                method: .post,
                query: query,
                parameters: ["a": 1],
                encoder: .json,
                fields: [.accept: "a/b"],
                to: .file(folder.url("1"))
            ) { $0.fields[.from] = "ada@example.org" },
            test.session.download(Self.url, parameters: [String: Int]?.none, to: .file(folder.url("2"))),
        ]
        for request in requests {
            let file = try await request.validate().serializingURL().value
            #expect(try text(file) == "content")
        }
        let sent = test.transport.requests
        #expect(sent.map(\.target.path) == ["/p?x&a=b%20c", "/p?x&q=1", "/p?x"])
        #expect(sent.map(\.method) == [.get, .post, .get])
        #expect(try sent[1].sentString == #"{"a":1}"#)
        #expect(sent[1].fields[.accept] == "a/b")
        #expect(sent[1].fields[.from] == "ada@example.org")
        #expect(try folder.names == ["0", "1", "2"])
        try await assertNothingLeft(test.session)
    }

    @Test func reportsParametersThatCanNotBeEncoded() async throws {
        let test = TestSession()
        let request = test.session.download(Self.url, parameters: ["a": Double.nan], to: .file(folder.url("file")))
        #expect(await request.serializingURL().response.error?.code == .parameterEncodingFailed)
        #expect(test.requestCount == 0)
        #expect(try folder.names == [])
        try await assertNothingLeft(test.session)
    }
}
