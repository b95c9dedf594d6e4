internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The method and body of the next request, for all combinations of status, method and kind of body.
@Suite(.timeLimit(.minutes(5))) struct RedirectRulesTests {
    enum BodyKind: CaseIterable {
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
        let bodyKind: BodyKind
        let next: HTTPRequest.Method
        /// Whether the next request keeps the body, if there is one.
        let keepsBody: Bool

        var testDescription: String { "\(status) \(method) \(bodyKind)" }
    }

    /// The method of the next request, by that of the first. A plus means that the body is kept.
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
                BodyKind.allCases.map { bodyKind in
                    Case(
                        status: status,
                        method: method,
                        bodyKind: bodyKind,
                        next: HTTPRequest.Method(next.filter { $0 != "+" }) ?? .connect,
                        keepsBody: next.hasSuffix("+")
                    )
                }
            }
        }
    }

    /// A session that reads each request body, and redirects once.
    private func session(_ status: Int, _ received: LockedList<String>) -> TestSession {
        TestSession { request in
            var text = ""
            let reader = try await request.body.open()
            while let chunk = try await reader.next() { text += String(decoding: Data(chunk), as: UTF8.self) }
            received.append(text)
            guard request.target.path == "/" else { return MockResponse() }
            return MockResponse(status: .init(code: status), fields: [.location: "/b"])
        }
    }

    /// Parity: AF-fault-stream-again, AFN-block-new-stream
    @Test(arguments: cases) func followsTheRulesOfTheStatus(row: Case) async throws {
        try await inFolder { folder in
            let received = LockedList<String>()
            let test = session(row.status, received)
            let request = try RequestMessage(
                "http://h/",
                method: row.method,
                fields: [.contentType: "text/plain", .accept: "a/b"],
                body: row.bodyKind.body(in: folder)
            )
            let needsReplay = row.bodyKind == .once && row.keepsBody
            let text = row.bodyKind == .none ? "" : "abc"
            let error = await failure {
                let response = try await test.session.send(request, options: [GETBodyPolicy.allowed])
                #expect(response.status == .ok)
                #expect(response.redirects.map(\.status.code) == [row.status])
            }
            #expect(error?.code == (needsReplay ? .bodyNotReplayable : nil))
            if needsReplay {
                #expect(error?.detail.contains("the redirect to http://h/b needs the body again") == true)
                #expect(error?.method == row.method)
                #expect(error?.url == "http://h/")
                #expect(error?.responseCode == row.status)
                #expect(error?.redirects == [])
                #expect(received.all == [text])
            } else {
                let second = try #require(test.transport.requests.last)
                #expect(test.transport.requests.count == 2)
                #expect(second.method == row.next)
                #expect(received.all == [text, row.keepsBody ? text : ""])
                #expect((second.fields[.contentType] != nil) == row.keepsBody)
                #expect(second.fields[.accept] == "a/b")
            }
            try await assertNothingLeft(test.session)
        }
    }

    @Test(arguments: [307, 308]) func resendsAnUnreadStream(status: Int) async throws {
        let test = TestSession { request in
            request.target.path == "/"
                ? MockResponse(status: .init(code: status), fields: [.location: "/b"]) : MockResponse()
        }
        let body = try BodyKind.once.body(in: .temporaryDirectory)
        #expect(try await test.session.post("http://h/", body: body).status == .ok)
        #expect(test.transport.requests.map(\.body.length) == [3, 3])
    }

    /// RFC 9110 §15.4: fields that describe the body are dropped with it.
    @Test(arguments: [(303, false), (307, true)]) func dropsTheFieldsOfTheBody(status: Int, keeps: Bool) async throws {
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
        _ = try await test.session.put("http://h/", fields: RequestFields(fields), body: .string("abc"))
        let sent = try #require(test.transport.requests.last).fields
        #expect(sent[.from] == "me")
        for name in names { #expect((sent[try #require(HTTPField.Name(name))] != nil) == keeps, "\(name)") }
    }

    /// The Referer is kept only within the origin. A downgrade leaves the origin.
    @Test(arguments: [("https://h/b", true), ("https://i/b", false), ("http://h/b", false)])
    func keepsTheRefererWithinTheOrigin(location: String, keeps: Bool) async throws {
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
