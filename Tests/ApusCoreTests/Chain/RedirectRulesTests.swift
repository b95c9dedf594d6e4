internal import Apus
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// What is sent next, by status, method and content: each of them with each.
@Suite(.timeLimit(.minutes(5))) struct RedirectRulesTests {
    enum Content: CaseIterable {
        case none, bytes, file, replayable, once

        func body(in folder: URL) throws -> RequestBody {
            switch self {
            case .none: return .none
            case .bytes: return .string("abc")
            case .file:
                let file = folder.appending(path: "content")
                try makeFile(file, "abc")
                return try .file(file)
            case .replayable: return .replayable(length: 3) { Self.stream }
            case .once: return .once(length: 3, Self.stream)
            }
        }

        private static var stream: AsyncStream<BodyChunk> {
            AsyncStream { stream in
                stream.yield(BodyChunk("abc"))
                stream.finish()
            }
        }
    }

    struct Case: CustomTestStringConvertible {
        let status: Int
        let method: HTTPRequest.Method
        let content: Content
        let next: HTTPRequest.Method
        /// Whether the content goes along, where there is any.
        let keepsContent: Bool

        var testDescription: String { "\(status) \(method) \(content)" }
    }

    /// With a plus: and its content.
    private static let table: [(statuses: [Int], next: [(HTTPRequest.Method, String)])] = [
        (
            [301, 302],
            [
                (.get, "GET"), (.head, "HEAD"), (.post, "GET"), (.put, "PUT+"), (.patch, "PATCH+"),
                (.delete, "DELETE+"),
                (.options, "OPTIONS+"), (.query, "QUERY+"),
            ]
        ),
        (
            [303],
            [
                (.get, "GET"), (.head, "HEAD"), (.post, "GET"), (.put, "GET"), (.patch, "GET"), (.delete, "GET"),
                (.options, "GET"), (.query, "GET"),
            ]
        ),
        (
            [307, 308],
            [
                (.get, "GET+"), (.head, "HEAD+"), (.post, "POST+"), (.put, "PUT+"), (.patch, "PATCH+"),
                (.delete, "DELETE+"), (.options, "OPTIONS+"), (.query, "QUERY+"),
            ]
        ),
    ]

    static let cases: [Case] = table.flatMap { row in
        row.statuses.flatMap { status in
            row.next.flatMap { method, next in
                Content.allCases.map { content in
                    Case(
                        status: status,
                        method: method,
                        content: content,
                        next: HTTPRequest.Method(next.filter { $0 != "+" }) ?? .connect,
                        keepsContent: next.hasSuffix("+")
                    )
                }
            }
        }
    }

    /// A session that reads all that is sent to it, and redirects once.
    private func session(_ status: Int, _ received: Notes<String>) -> TestSession {
        TestSession { request in
            var content = ""
            let reader = try await request.body.open()
            while let chunk = try await reader.next() { content += String(decoding: Data(chunk), as: UTF8.self) }
            received.append(content)
            guard request.target.path == "/" else { return MockResponse() }
            return MockResponse(status: .init(code: status), fields: [.location: "/b"])
        }
    }

    /// Parity: AF-fault-stream-again, AFN-block-new-stream
    @Test(arguments: cases) func sendsWhatTheStatusAsksFor(row: Case) async throws {
        try await inFolder { folder in
            let received = Notes<String>()
            let test = session(row.status, received)
            let request = try RequestMessage(
                "http://h/",
                method: row.method,
                fields: [.contentType: "text/plain", .accept: "a/b"],
                body: row.content.body(in: folder)
            )
            let needsReplay = row.content == .once && row.keepsContent
            let content = row.content == .none ? "" : "abc"
            let error = await failure {
                let response = try await test.session.send(request, options: [ContentInGET.allowed])
                #expect(response.status == .ok)
                #expect(response.history.map(\.status.code) == [row.status])
            }
            #expect(error?.code == (needsReplay ? .bodyNotReplayable : nil))
            if needsReplay {
                #expect(error?.detail.contains("the redirect to http://h/b needs the body again") == true)
                #expect(error?.method == row.method)
                #expect(error?.url == "http://h/")
                #expect(error?.responseCode == row.status)
                #expect(error?.history == [])
                #expect(received.all == [content])
            } else {
                let second = try #require(test.transport.requests.last)
                #expect(test.transport.requests.count == 2)
                #expect(second.method == row.next)
                #expect(received.all == [content, row.keepsContent ? content : ""])
                #expect((second.fields[.contentType] != nil) == row.keepsContent)
                #expect(second.fields[.accept] == "a/b")
            }
            try await assertNothingLeft(test.session)
        }
    }

    @Test(arguments: [307, 308]) func sendsAStreamThatNobodyHasReadYet(status: Int) async throws {
        let test = TestSession { request in
            request.target.path == "/"
                ? MockResponse(status: .init(code: status), fields: [.location: "/b"]) : MockResponse()
        }
        let body = try Content.once.body(in: .temporaryDirectory)
        #expect(try await test.session.post("http://h/", body: body).status == .ok)
        #expect(test.transport.requests.map(\.body.length) == [3, 3])
    }

    /// RFC 9110 §15.4: what describes a content goes with it.
    @Test(arguments: [(303, false), (307, true)]) func dropsWhatDescribesAContent(status: Int, keeps: Bool) async throws
    {
        let names = [
            "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Range", "Digest",
            "Content-Digest", "Repr-Digest", "Last-Modified",
        ]
        var fields: HTTPFields = [.from: "me"]
        for name in names { fields[try #require(HTTPField.Name(name))] = "x" }
        let test = TestSession { request in
            guard request.target.path == "/" else { return MockResponse() }
            return MockResponse(status: .init(code: status), fields: [.location: "/b"])
        }
        _ = try await test.session.put("http://h/", fields: fields, body: .string("abc"))
        let sent = try #require(test.transport.requests.last).fields
        #expect(sent[.from] == "me")
        for name in names { #expect((sent[try #require(HTTPField.Name(name))] != nil) == keeps, "\(name)") }
    }

    /// What was read is told to the origin it was read at alone, and never in the clear.
    @Test(arguments: [("https://h/b", true), ("https://i/b", false), ("http://h/b", false)])
    func keepsTheRefererForItsOrigin(location: String, keeps: Bool) async throws {
        let test = TestSession { request in
            guard request.target.path == "/" else { return MockResponse() }
            return MockResponse(status: .found, fields: [.location: location])
        }
        _ = try await test.session.get(
            "https://h/",
            fields: [.referer: "https://h/secret"],
            options: [RedirectPolicy.follow(allowsDowngrade: true)]
        )
        #expect(test.transport.requests.last?.fields[.referer] == (keeps ? "https://h/secret" : nil))
        #expect(test.transport.requests.count == 2)
    }
}
