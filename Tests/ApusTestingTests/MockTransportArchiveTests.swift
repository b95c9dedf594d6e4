internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct MockTransportArchiveTests {
    /// An exchange in the form of the archive's JSON.
    private struct Exchange {
        var method = "GET"
        var url = "http://h/a"
        var status = 200
        var headers: [(String, String)] = []
        /// The members of `content`, besides `mimeType`.
        var content = #""text": "ok""#
        var bodySize = -1
        /// Further members of the response.
        var further = ""

        var json: String {
            let headers = headers.map { #"{"name": "\#($0.0)", "value": "\#($0.1)"}"# }.joined(separator: ", ")
            return #"""
                {
                  "startedDateTime": "2026-05-01T12:00:00.000Z",
                  "request": {"method": "\#(method)", "url": "\#(url)"},
                  "response": {
                    "status": \#(status), "headers": [\#(headers)], "bodySize": \#(bodySize),
                    "content": {"mimeType": "", \#(content)}\#(further)
                  }
                }
                """#
        }
    }

    private func archive(_ exchanges: [Exchange]) throws -> HTTPArchive {
        let entries = exchanges.map(\.json).joined(separator: ", ")
        let json = #"{"log": {"version": "1.2", "entries": [\#(entries)]}}"#
        return try JSONDecoder().decode(HTTPArchive.self, from: Data(json.utf8))
    }

    private func session(_ exchanges: Exchange...) throws -> Session {
        Session(transport: MockTransport(archive: try archive(exchanges)))
    }

    // MARK: Requests

    @Test func findsTheResponseByMethodAndURL() async throws {
        let session = try session(
            Exchange(content: #""text": "1""#),
            Exchange(method: "POST", status: 201, content: #""text": "2""#),
            Exchange(url: "http://h/b", content: #""text": "3""#),
            Exchange(url: "https://h/a", content: #""text": "4""#)
        )
        #expect(try await session.get("http://h/a").string() == "1")
        let created = try await session.post("http://h/a", body: .string("x"))
        #expect(created.status == .created)
        #expect(try created.string() == "2")
        #expect(try await session.get("http://h/b").string() == "3")
        #expect(try await session.get("https://H:443/a#top").string() == "4")
        try await assertNothingLeft(session)
    }

    @Test func returnsResponsesInOrderAndRepeatsTheLast() async throws {
        let session = try session(
            Exchange(content: #""text": "1""#),
            Exchange(url: "http://h/b"),
            Exchange(content: #""text": "2""#)
        )
        var texts: [String] = []
        for _ in 0..<4 { texts.append(try await session.get("http://h/a").string()) }
        #expect(texts == ["1", "2", "2", "2"])
    }

    @Test(arguments: ["b=2&a=1", "a=1&b=2", "%61=1&b=2", "a=1&&b=2"])
    func findsAQueryInAnyOrder(query: String) async throws {
        let session = try session(Exchange(url: "http://h/a?a=1&b=2"))
        #expect(try await session.get("http://h/a?\(query)").string() == "ok")
    }

    @Test(arguments: ["", "?", "?a=1", "?a=1&b=3", "?a=1&b=2&b=2", "?a=1&b=2&c", "?a&b=2"])
    func findsNoOtherQuery(query: String) async throws {
        let session = try session(Exchange(url: "http://h/a?a=1&b=2"))
        #expect(await failure { try await session.get("http://h/a\(query)") }?.code == .connectFailed)
    }

    @Test func matchesAnyValueInPlaceOfARedactedOne() async throws {
        let session = try session(
            Exchange(url: "http://h/a?token=…&page=1", content: #""text": "1""#),
            Exchange(url: "http://h/a?page=2&token=…", content: #""text": "2""#),
            Exchange(url: "http://h/a?page=2&token=exact", content: #""text": "3""#),
            Exchange(url: "http://h/b?…", content: #""text": "4""#)
        )
        #expect(try await session.get("http://h/a?page=1&token=sesame").string() == "1")
        #expect(try await session.get("http://h/a?page=2&token=other").string() == "2")
        #expect(try await session.get("http://h/a?page=2&token=exact").string() == "3")
        #expect(try await session.get("http://h/b?c2VzYW1l").string() == "4")
        let unknown = ["/a?page=3&token=x", "/a?page=1", "/a?page=1&token=x&token=y", "/a?page=1&key=x", "/b"]
        for path in unknown {
            #expect(await failure { try await session.get("http://h\(path)") }?.code == .connectFailed, "\(path)")
        }
    }

    @Test func namesTheMostSimilarRequests() async throws {
        let session = try session(
            Exchange(url: "http://h/users/1?page=1&token=sesame"),
            Exchange(method: "POST", url: "http://h/users"),
            Exchange(url: "http://i/"),
            Exchange(url: "data:text/plain,a"),
            Exchange(url: "http://h/users")
        )
        let error = await failure { try await session.get("http://h/users/1?page=2&token=sesame") }
        #expect(error?.code == .connectFailed)
        let expected =
            "the archive has no response to GET http://h/users/1?page=…&token=…; the most similar are "
            + "GET http://h/users/1?page=…&token=… (which differs in 'page'), GET http://h/users, POST http://h/users"
        #expect(error?.detail == expected)
        let repeated = await failure { try await session.get("http://h/users/1?page=1&token=sesame&page=1") }
        #expect(repeated?.detail.contains("(which differs in the number of its items)") == true)
    }

    @Test func failsWithoutAnyEntry() async throws {
        let session = try session()
        #expect(await failure { try await session.get("http://h/") }?.detail == "the archive has no requests")
    }

    // MARK: Responses

    @Test func hasTheRecordedFields() async throws {
        let headers = [
            (":status", "200"), ("ETag", "x"), ("X-Tag", ""), ("Set-Cookie", #"a=b\nc=d"#), ("Bad Name", "x"),
            ("Location", #"a\u0000b"#),
        ]
        let session = try session(Exchange(headers: headers))
        let response = try await session.get("http://h/a")
        let names = response.fields.map(\.name.rawName)
        #expect(names == ["ETag", "X-Tag", "Set-Cookie", "Set-Cookie"])
        #expect(response.fields[values: .setCookie] == ["a=b", "c=d"])
    }

    @Test func hasTheFieldsOfADecodedBody() async throws {
        let headers = [
            ("Content-Encoding", "gzip"), ("Content-Length", "22"), ("Transfer-Encoding", "chunked"),
            ("Content-Type", "text/plain"),
        ]
        let session = try session(Exchange(headers: headers, content: #""text": "decoded", "size": 7"#, bodySize: 22))
        let response = try await session.get("http://h/a")
        #expect(try response.string() == "decoded")
        #expect(response.fields == [.contentLength: "7", .contentType: "text/plain"])
        let streamed = try await session.stream("http://h/a")
        #expect(streamed.expectedLength == 7)
        streamed.body.discard()
    }

    @Test func decodesABodyThatWasRecordedCoded() async throws {
        // gzip of "coded".
        let gzip = "H4sIAAAAAAACA0vOT0lNAQCKRH5mBQAAAA=="
        let size = Data(base64Encoded: gzip)?.count ?? 0
        let session = try session(
            Exchange(
                headers: [("Content-Encoding", "gzip")],
                content: #""text": "\#(gzip)", "encoding": "base64", "size": \#(size)"#,
                bodySize: size
            )
        )
        #expect(try await session.get("http://h/a").string() == "coded")
        let coded = try await session.get("http://h/a", options: [ContentDecoding.off])
        #expect(coded.fields[.contentEncoding] == "gzip")
        #expect(coded.data == Data(base64Encoded: gzip))
    }

    @Test func returnsBytesInBase64() async throws {
        let content = #""text": "AP8=", "encoding": "base64", "size": 2"#
        let headers = [("Content-Type", "image/png"), ("Content-Encoding", "gzip")]
        let session = try session(Exchange(headers: headers, content: content, bodySize: 30))
        let response = try await session.get("http://h/a")
        #expect(response.data == Data([0x00, 0xFF]))
        #expect(response.fields == [.contentType: "image/png"])
    }

    @Test(arguments: [
        ("text/plain; charset=iso-8859-1", "grüße", "text/plain; charset=utf-8"),
        ("text/plain; charset=iso-8859-1", "abc", "text/plain; charset=iso-8859-1"),
        ("text/plain; charset=UTF-8", "grüße", "text/plain; charset=UTF-8"), ("text/plain", "grüße", "text/plain"),
    ]) func returnsTextInUTF8(type: String, text: String, expected: String) async throws {
        let session = try session(Exchange(headers: [("Content-Type", type)], content: #""text": "\#(text)""#))
        let response = try await session.get("http://h/a")
        #expect(try response.string() == text)
        #expect(response.fields[.contentType] == expected)
    }

    @Test(arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func hasNoBodyWhereThereIsNone(method: String, status: Int) async throws {
        let exchange = Exchange(
            method: method,
            status: status,
            headers: [("Content-Length", "9"), ("Content-Encoding", "gzip")],
            content: #""size": 9"#
        )
        let session = try session(exchange)
        let request = try RequestMessage("http://h/a", method: method == "HEAD" ? .head : .get)
        let response = try await session.send(request)
        #expect(response.status.code == status)
        #expect(response.data.isEmpty)
        #expect(response.fields[.contentLength] == "9")
    }

    @Test func failsIfTheBodyWasNotRecorded() async throws {
        let session = try session(
            Exchange(content: #""size": 9, "comment": "left out: it is a token""#),
            Exchange(url: "http://h/b", content: #""text": "?", "encoding": "base64""#),
            Exchange(url: "http://h/c", content: #""size": 0"#)
        )
        let error = await failure { try await session.get("http://h/a") }
        #expect(error?.code == .connectFailed)
        let detail = "the archive has no body of the response to GET http://h/a: left out: it is a token"
        #expect(error?.detail == detail)
        #expect(await failure { try await session.get("http://h/b") }?.code == .connectFailed)
        #expect(try await session.get("http://h/c").data.isEmpty)
    }

    @Test(arguments: [-1, 0, 100, 199, 1000]) func failsAsTheRecordedExchange(status: Int) async throws {
        let session = try session(
            Exchange(status: status, further: #", "_error": "connectionClosed: the peer closed it""#),
            Exchange()
        )
        let error = await failure { try await session.get("http://h/a") }
        #expect(error?.code == .connectFailed)
        let detail = "the archived exchange of GET http://h/a failed: connectionClosed: the peer closed it"
        #expect(error?.detail == detail)
        #expect(try await session.get("http://h/a").string() == "ok")
    }

    // MARK: Recorded sessions

    @Test func replaysARecordedSession() async throws {
        let visits = LockedValue(0)
        let server = MockTransport { request in
            switch request.target.path {
            case "/old?token=sesame": return MockResponse(status: .found, fields: [.location: "/new?token=sesame"])
            case "/new?token=sesame": return MockResponse(body: #"{"name": "Grüße"}"#)
            default:
                let count = visits.increased(by: 1)
                if count == 1 { throw ApusError(.connectionClosed, "gone") }
                return MockResponse(chunks: [BodyChunk("visit "), BodyChunk("\(count)")])
            }
        }
        let recorder = HARRecorder()
        var configuration = Session.Configuration()
        configuration.interceptor = RetryPolicy(retryLimit: 1, scale: .zero)
        let play = { @Sendable (session: Session) async throws -> [String] in
            let moved = try await session.get("http://h/old?token=sesame")
            let visit = try await session.get("http://h/visits")
            let next = try await session.get("http://h/visits")
            #expect(moved.redirects.count == 1)
            #expect(visit.metrics.exchanges.count == 2)
            return try [moved.string(), visit.string(), next.string()]
        }
        var recorded = configuration
        recorded.recorder = recorder
        let expected = try await play(Session(configuration: recorded, transport: server))
        #expect(expected == [#"{"name": "Grüße"}"#, "visit 2", "visit 3"])
        try await inFolder { folder in
            let file = folder.appending(path: "session.har")
            try recorder.write(to: file)
            let written = try text(file)
            #expect(!written.contains("sesame"))
            let transport = MockTransport(archive: try HTTPArchive(contentsOf: file))
            #expect(try await play(Session(configuration: configuration, transport: transport)) == expected)
        }
    }

    @Test func recordsTheRequestsOfItsUser() async throws {
        let transport = MockTransport(archive: try archive([Exchange()]))
        let session = Session(transport: transport)
        _ = try await session.get("http://h/a")
        _ = await failure { try await session.get("http://h/b") }
        #expect(transport.requests.map(\.target.path) == ["/a", "/b"])
    }
}
