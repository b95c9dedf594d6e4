internal import Apus
internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusDiagnostics

@Suite(.timeLimit(.minutes(5))) struct HARRecorderTests {
    /// A session whose exchanges are recorded, and the recorder.
    private func recorded(
        _ recorder: HARRecorder = HARRecorder(),
        responding handler: @escaping MockTransport.Handler = { _ in MockResponse(body: "ok") }
    ) -> (TestSession, HARRecorder) {
        (TestSession(configuring: { $0.recorder = recorder }, responding: handler), recorder)
    }

    /// A server may send any Max-Age. The archive stores it as a date.
    @Test(arguments: ["nan", "-nan", "inf", "-inf", "1e999", "0x1p1023", "60", "", "soon"])
    func survivesEveryMaximumAge(age: String) async throws {
        let (test, recorder) = recorded { _ in
            MockResponse(fields: [.setCookie: "a=b; Max-Age=\(age)"], body: "ok")
        }
        _ = try await test.session.get("http://h/")
        let archive = try JSONDecoder().decode(HTTPArchive.self, from: recorder.archive.data())
        let cookie = try #require(archive.entries.first?.response.cookies.first)
        #expect((cookie.expires == nil) == ["nan", "-nan", "", "soon"].contains(age))
    }

    // MARK: Format

    private enum Kind {
        case string, number, array, object

        func fits(_ value: JSONValue?) -> Bool {
            switch self {
            case .string: value?.string != nil
            case .number: value?.number != nil
            case .array: value?.array != nil
            case .object: value?.object != nil
            }
        }
    }

    /// The members that the specification does not call optional, by the path of their object.
    private static let required: [(path: [String], members: [(String, Kind)])] = [
        (["log"], [("version", .string), ("creator", .object), ("entries", .array)]),
        (["log", "creator"], [("name", .string), ("version", .string)]),
        (
            ["log", "entries"],
            [
                ("startedDateTime", .string), ("time", .number), ("request", .object), ("response", .object),
                ("cache", .object), ("timings", .object),
            ]
        ),
        (
            ["log", "entries", "request"],
            [
                ("method", .string), ("url", .string), ("httpVersion", .string), ("cookies", .array),
                ("headers", .array), ("queryString", .array), ("headersSize", .number), ("bodySize", .number),
            ]
        ),
        (
            ["log", "entries", "response"],
            [
                ("status", .number), ("statusText", .string), ("httpVersion", .string), ("cookies", .array),
                ("headers", .array), ("content", .object), ("redirectURL", .string), ("headersSize", .number),
                ("bodySize", .number),
            ]
        ),
        (["log", "entries", "response", "content"], [("size", .number), ("mimeType", .string)]),
        (["log", "entries", "timings"], [("send", .number), ("wait", .number), ("receive", .number)]),
        (["log", "entries", "request", "headers"], [("name", .string), ("value", .string)]),
        (["log", "entries", "request", "cookies"], [("name", .string), ("value", .string)]),
        (["log", "entries", "request", "queryString"], [("name", .string), ("value", .string)]),
        (["log", "entries", "request", "postData"], [("mimeType", .string), ("params", .array)]),
        (["log", "entries", "request", "postData", "params"], [("name", .string)]),
        (["log", "entries", "response", "headers"], [("name", .string), ("value", .string)]),
        (["log", "entries", "response", "cookies"], [("name", .string), ("value", .string)]),
    ]

    /// Returns all objects at a path. Arrays on the path stand for their elements.
    private func objects(_ value: JSONValue, _ path: ArraySlice<String>) -> [JSONValue] {
        if let array = value.array { return array.flatMap { objects($0, path) } }
        guard let name = path.first else { return [value] }
        return value[name].map { objects($0, path.dropFirst()) } ?? []
    }

    @Test func hasEveryMemberThatTheFormatRequires() async throws {
        let (test, recorder) = recorded { request in
            guard request.target.path != "/nobody" else { throw ApusError(.connectFailed, "nobody listens") }
            return MockResponse(fields: [.setCookie: "a=1; Path=/; Secure"], body: "ok")
        }
        let form = RequestBody.string("a=1&b=2")
        let fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .cookie: "sid=1"]
        _ = try await test.session.post("http://h/?q=swift", fields: RequestFields(fields), body: form)
        _ = await failure { try await test.session.get("http://h/nobody") }
        let document = try JSONValue(parsing: recorder.archive.data())
        for (path, members) in Self.required {
            let found = objects(document, path[...])
            #expect(!found.isEmpty, "\(path)")
            for object in found {
                for (name, kind) in members { #expect(kind.fits(object[name]), "\(path) \(name): \(object)") }
            }
        }
        for entry in objects(document, ["log", "entries"]) {
            let date = try #require(entry["startedDateTime"]?.string)
            #expect(date.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(date)")
            for name in ["blocked", "dns", "connect", "ssl"] { #expect(entry["timings"]?[name]?.number != nil) }
        }
        #expect(document["log"]?["version"] == "1.2")
        #expect(document["log"]?["creator"]?["name"] == "Apus")
    }

    @Test func survivesARoundTrip() async throws {
        let (test, recorder) = recorded { _ in
            MockResponse(
                fields: [.setCookie: "a=1; Expires=Sun, 06 Nov 2094 08:49:37 GMT", .contentType: "text/plain"],
                chunks: [BodyChunk("one "), BodyChunk("two")],
                trailers: [:]
            )
        }
        let response = try await test.session.post("http://h/?q=1", body: .string("sent"))
        #expect(try response.string() == "one two")
        let archive = recorder.archive
        #expect(archive.entries.count == 1)
        #expect(try JSONDecoder().decode(HTTPArchive.self, from: archive.data()) == archive)
        #expect(try JSONContentDecoder().decode(HTTPArchive.self, from: archive.data()) == archive)
        try await inFolder { folder in
            let file = folder.appending(path: "calls.har")
            try recorder.write(to: file)
            #expect(try HTTPArchive(contentsOf: file) == archive)
        }
    }

    // MARK: Exchanges

    @Test func recordsEveryExchange() async throws {
        let (test, recorder) = recorded { request in
            switch request.target.path {
            case "/a": MockResponse(status: .found, fields: [.location: "/b"], body: "moved")
            default: MockResponse(status: .notFound, body: "none")
            }
        }
        _ = try await test.session.get("http://h/a")
        _ = try await test.session.get("http://h/c")
        let entries = recorder.archive.entries
        #expect(entries.map(\.request.url) == ["http://h/a", "http://h/b", "http://h/c"])
        #expect(entries.map(\.response.status) == [302, 404, 404])
        #expect(entries.map(\.cause) == ["first", "redirect", "first"])
        #expect(entries[0].requestNumber == entries[1].requestNumber)
        #expect(entries[0].requestNumber != entries[2].requestNumber)
        #expect(entries[0].response.redirectURL == "/b")
        #expect(entries[0].response.statusText == "Found")
        #expect(entries.map(\.response.content.text) == ["moved", "none", "none"])
    }

    @Test func usesTheClocksOfTheSession() async throws {
        let clock = ManualClock(wallClock: Date(timeIntervalSince1970: 1_795_297_337.25))
        let recorder = HARRecorder()
        let test = TestSession(
            configuring: {
                $0.recorder = recorder
                $0.time = clock
            }
        ) { _ in
            clock.advance(by: .microseconds(12_500))
            return MockResponse()
        }
        _ = try await test.session.get("http://h/")
        let entry = try #require(recorder.archive.entries.first)
        #expect(HARTimestamp.text(entry.startedDateTime) == "2026-11-21T21:42:17.250Z")
        #expect(entry.time == .microseconds(12_500))
        #expect(entry.timings.wait == .microseconds(12_500))
        #expect(entry.timings.blocked == nil && entry.timings.connect == nil)
        let json = try JSONValue(parsing: recorder.archive.data())
        #expect(json["log"]?["entries"]?[0]?["time"]?.double == 12.5)
        #expect(json["log"]?["entries"]?[0]?["timings"]?["ssl"]?.double == -1)
    }

    @Test func recordsFailures() async throws {
        let (test, recorder) = recorded { _ in throw ApusError(.connectFailed, "no server at http://user:sesame@h/") }
        _ = await failure { try await test.session.get("http://h/") }
        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.response.status == 0)
        #expect(entry.response.error?.hasPrefix("connectFailed: no server at http://h/") == true)
        #expect(entry.comment == nil)
    }

    @Test func recordsActiveAndCancelledExchanges() async throws {
        let barrier = Barrier()
        let recorder = HARRecorder()
        let test = TestSession.hanging(barrier) { $0.recorder = recorder }
        let task = Task { try await test.session.get("http://h/slow") }
        await barrier.reached()
        #expect(recorder.archive.entries.first?.comment?.contains("not ended yet") == true)
        #expect(recorder.archive.entries.first?.response.error == nil)
        task.cancel()
        _ = await task.result
        let entry = try #require(recorder.archive.entries.first)
        #expect(recorder.archive.entries.count == 1)
        #expect(entry.response.status == 0)
        #expect(entry.response.error?.hasPrefix("cancelled") == true)
    }

    @Test func recordsReleasedStreams() async throws {
        let (test, recorder) = recorded { _ in MockResponse(chunks: [BodyChunk("one"), BodyChunk("two")]) }
        do {
            let response = try await test.session.stream("http://h/")
            for try await _ in response.body { break }
        }
        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.response.status == 200)
        #expect(entry.response.content.text == "one")
        try await assertNothingLeft(test.session)
    }

    @Test func keepsTheLatestExchanges() async throws {
        var limits = HARLimits()
        limits.entryCount = 3
        let (test, recorder) = recorded(HARRecorder(limits: limits))
        for number in 1...5 { _ = try await test.session.get("http://h/\(number)") }
        #expect(recorder.archive.entries.map(\.request.url) == ["http://h/3", "http://h/4", "http://h/5"])
        #expect(recorder.archive.comment == "2 older exchanges were discarded")
        recorder.removeAll()
        #expect(recorder.archive.entries.isEmpty && recorder.archive.comment == nil)
    }

    @Test func recordsSeveralSessions() async throws {
        let recorder = HARRecorder()
        for host in ["a", "b"] { _ = try await recorded(recorder).0.session.get("http://\(host)/") }
        #expect(recorder.archive.entries.map(\.request.url) == ["http://a/", "http://b/"])
    }

    // MARK: Heads

    @Test func recordsTheFieldsOnTheWire() async throws {
        let (test, recorder) = recorded()
        _ = try await test.session.post(
            "http://h:8080/",
            fields: [.from: "ada", .userAgent: "x"],
            body: .string("abc")
        )
        _ = try await test.session.post("http://h/", body: .none)
        let stream = RequestBody.once(AsyncStream { $0.finish() })
        _ = try await test.session.post("http://h/", body: stream)
        _ = try await test.session.post("http://h/", body: .string("abc").withTrailers(["X-A": "b"]))
        let entries = recorder.archive.entries
        let first = try #require(entries.first?.request)
        #expect(first.headers.first == HTTPArchive.Pair(name: "Host", value: "h:8080"))
        #expect(first.headers.last == HTTPArchive.Pair(name: "Content-Length", value: "3"))
        #expect(first.headers.contains { $0.name == "From" && $0.value == "ada" })
        #expect(entries[1].request.headers.last == HTTPArchive.Pair(name: "Content-Length", value: "0"))
        #expect(entries[2].request.headers.last == HTTPArchive.Pair(name: "Transfer-Encoding", value: "chunked"))
        #expect(entries[3].request.headers.last == HTTPArchive.Pair(name: "Transfer-Encoding", value: "chunked"))
        #expect(entries[3].request.headers.contains { $0.name == "Trailer" && $0.value == "X-A" })
        let sent = try #require(test.transport.requests.last)
        #expect(try await sent.body.trailers()?.count == 1)
    }

    @Test func parsesCookies() async throws {
        let (test, recorder) = recorded(HARRecorder(includesSecrets: true)) { _ in
            let lines = ["a=1; Path=/x; Domain=h; HttpOnly; Secure; Max-Age=60", "b=2; Expires=Session", "c"]
            var response = MockResponse()
            for line in lines { response.fields.append(HTTPField(name: .setCookie, value: line)) }
            return response
        }
        _ = try await test.session.get("http://h/", fields: [.cookie: "x=1; y=2=3"])
        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.request.cookies.map(\.name) == ["x", "y"])
        #expect(entry.request.cookies.map(\.value) == ["1", "2=3"])
        let cookies = entry.response.cookies
        #expect(cookies.map(\.name) == ["a", "b", ""])
        #expect(cookies.map(\.value) == ["1", "2", "c"])
        #expect(cookies[0].path == "/x" && cookies[0].domain == "h")
        #expect(cookies[0].httpOnly == true && cookies[0].secure == true && cookies[1].secure == false)
        #expect(cookies[0].expires == entry.startedDateTime.addingTimeInterval(60))
        #expect(cookies[1].expires == nil)
    }

    @Test func decodesTheQuery() async throws {
        let (test, recorder) = recorded()
        _ = try await test.session.get("http://h/?q=swift+on%20linux&empty=&flag&q=2")
        let request = try #require(recorder.archive.entries.first?.request)
        #expect(request.url == "http://h/?q=swift+on%20linux&empty=&flag&q=2")
        #expect(request.queryString.map(\.name) == ["q", "empty", "flag", "q"])
        #expect(request.queryString.map(\.value) == ["swift on linux", "", "", "2"])
    }
}
