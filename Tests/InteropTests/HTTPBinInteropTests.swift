internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

@Suite(.enabled(if: Servers.areRunning, "Scripts/interop starts the servers"), .timeLimit(.minutes(5)))
struct HTTPBinInteropTests {
    private let session = Session()
    private let httpbin = Servers.httpbin

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func echoesTheBody(method: HTTPRequest.Method) async throws {
        let request = try RequestMessage(
            "\(httpbin)/anything",
            method: method,
            query: [URLQueryItem(name: "q", value: "ü & more")],
            fields: [.contentType: "application/json"],
            body: .string(#"{"count": 3}"#)
        )
        let echo = try await session.send(request).validate().decode(Echo.self)
        #expect(echo.method == method.rawValue)
        #expect(echo.json == ["count": 3])
        #expect(echo.args == ["q": "ü & more"])
        try await assertNothingLeft(session)
    }

    @Test func decodesThroughAHandle() async throws {
        let echo = try await session.request("\(httpbin)/get").validate().serializingDecodable(Echo.self).value
        #expect(echo.headers["User-Agent"]?.contains("Apus/") == true)
        try await assertNothingLeft(session)
    }

    @Test func keepsCookies() async throws {
        struct Kept: Decodable { let cookies: [String: String] }
        let set = try await session.get("\(httpbin)/cookies/set?theme=dark&size=2").validate()
        #expect(set.metrics.redirectCount == 1)
        #expect(try set.decode(Kept.self).cookies == ["theme": "dark", "size": "2"])
        let own: HTTPFields = [.cookie: "size=3"]
        let sent = try await session.get("\(httpbin)/cookies", fields: RequestFields(own)).validate().decode(Kept.self)
        #expect(sent.cookies == ["theme": "dark", "size": "3"])
        let remaining = try await session.get("\(httpbin)/cookies/delete?theme").validate().decode(Kept.self)
        #expect(remaining.cookies == ["size": "2"])
        let none = try await session.get("\(httpbin)/cookies", options: [CookieHandling.off]).validate()
        #expect(try none.decode(Kept.self).cookies.isEmpty)
        #expect(session.cookies?.cookies.map(\.name) == ["size"])
        try await assertNothingLeft(session)
    }

    @Test func followsRedirectsOnOneConnection() async throws {
        let response = try await session.get("\(httpbin)/redirect/5").validate()
        #expect(response.target.path == "/get")
        #expect(response.metrics.redirectCount == 5)
        #expect(Set(response.metrics.exchanges.map(\.connectionNumber)).count == 1)
        try await assertNothingLeft(session)
    }

    @Test func returnsARedirectIfRefused() async throws {
        let response = try await session.get("\(httpbin)/redirect/1", options: [RedirectPolicy.refuse])
        #expect(response.status == .found)
        try await assertNothingLeft(session)
    }

    @Test(arguments: ["gzip", "deflate"])
    func decodesTheBody(coding: String) async throws {
        let response = try await session.get("\(httpbin)/\(coding)").validate()
        #expect(response.fields[.contentEncoding] == nil)
        #expect(try JSONSerialization.jsonObject(with: response.data) is [String: Any])
        try await assertNothingLeft(session)
    }

    @Test func streamsAChunkedResponse() async throws {
        let response = try await session.stream("\(httpbin)/stream-bytes/100000")
        var count = 0
        for try await chunk in response.body { count += chunk.count }
        #expect(count == 100_000)
        try await assertNothingLeft(session)
    }

    @Test func sendsABodyOfUnknownLength() async throws {
        let chunks = AsyncStream<BodyChunk> { continuation in
            for number in 0..<100 { continuation.yield(BodyChunk("\(number % 10)")) }
            continuation.finish()
        }
        let echo = try await session.post("\(httpbin)/post", body: .once(chunks)).validate().decode(Echo.self)
        #expect(echo.data?.count == 100)
        #expect(echo.headers["Transfer-Encoding"] == "chunked")
        try await assertNothingLeft(session)
    }

    @Test func sendsCredentialsOfTheURL() async throws {
        let url = httpbin.replacingOccurrences(of: "://", with: "://bird:swift@")
        try await session.get("\(url)/basic-auth/bird/swift").validate()
        try await assertNothingLeft(session)
    }

    @Test func keepsTheBodyOfARejectedResponse() async throws {
        let error = try await #require(throws: ApusError.self) {
            try await session.request("\(httpbin)/status/418").validate().serializingData().value
        }
        #expect(error.code == .unacceptableStatus)
        #expect(error.responseCode == 418)
        #expect(error.data.map { String(decoding: $0, as: UTF8.self) }?.contains("teapot") == true)
        try await assertNothingLeft(session)
    }

    @Test func cancelsAtTheDeadline() async throws {
        let error = try await #require(throws: ApusError.self) {
            try await session.get(
                "\(httpbin)/drip?numbytes=10&duration=8&delay=0",
                options: [RequestDeadline(.milliseconds(500))]
            )
        }
        #expect(error.code == .deadlineExceeded)
        try await assertNothingLeft(session)
    }

    @Test func continuesAfterACancelledRequest() async throws {
        let session = session
        let url = "\(httpbin)/delay/8"
        let task = Task { try await session.get(url) }
        while session.requestCounts.inFlight == 0 { await Task.yield() }
        task.cancel()
        let error = try await #require(throws: ApusError.self) { try await task.value }
        #expect(error.isCancelled)
        try await session.get("\(httpbin)/get").validate()
        try await assertNothingLeft(session)
    }
}
