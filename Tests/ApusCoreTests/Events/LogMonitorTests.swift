internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Logging
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct LogMonitorTests {
    private let log = LockedList<String>()

    private func monitor(
        _ detail: LogMonitor.Detail,
        logLevel: Logger.Level = .info,
        level: Logger.Level = .info
    ) -> LogMonitor {
        let log = log
        let logger = Logger(label: "apus.tests") { _ in
            RecordingLogHandler(logLevel: logLevel) { event in
                let request = event.metadata?["apus-request-id"] == nil ? "without its number: " : ""
                log.append("\(request)\(event.message)")
            }
        }
        return LogMonitor(detail, to: logger, level: level)
    }

    private func session(
        _ detail: LogMonitor.Detail,
        configuring configure: (inout Session.Configuration) -> Void = { _ in },
        responding handler: @escaping MockTransport.Handler
    ) -> TestSession {
        TestSession(
            configuring: { configuration in
                configuration.eventMonitors = [monitor(detail)]
                configuration.fields = [:]
                configuration.contentDecoding = .off
                configure(&configuration)
            },
            responding: handler
        )
    }

    /// Shuts the session down and returns this number of messages, without durations and numbers of requests.
    private func logged(_ count: Int, by test: TestSession) async -> [String] {
        await test.session.shutdown()
        while log.count < count { await Task.yield() }
        return log.all.map { message in
            message.replacing(#/ in [0-9.]+ (µs|ms|s)/#, with: " in no time").replacing(#/\([0-9]+/#, with: "(1")
        }
    }

    private static func json(_ text: String, status: HTTPResponse.Status = .ok) -> MockResponse {
        MockResponse(status: status, fields: [.contentType: "application/json"], body: text)
    }

    /// Returns the messages about one direct call.
    private func messages(
        _ detail: LogMonitor.Detail,
        body: RequestBody = .string(#"{"name":"Ada","password":"sesame"}"#),
        type: String = "application/json",
        responding handler: @escaping MockTransport.Handler
    ) async throws -> [String] {
        let test = session(detail, responding: handler)
        let message = RequestMessage(
            method: .post,
            target: try TargetURI("http://user:sesame@h/a?token=sesame"),
            fields: [.authorization: "Bearer sesame", .contentType: type],
            body: body
        )
        _ = try await test.session.send(message)
        return await logged(2, by: test)
    }

    // MARK: Details

    @Test func logsOneLineForEachMessage() async throws {
        let lines = try await messages(.lines) { _ in Self.json(#"{"id":7}"#) }
        #expect(
            lines == [
                "→ POST http://h/a?token=… (1), 34 B of application/json",
                "← 200 OK, POST http://h/a?token=… (1), 8 B of application/json in no time",
            ]
        )
    }

    @Test func logsHeads() async throws {
        let messages = try await messages(.heads) { _ in Self.json(#"{"id":7}"#) }
        #expect(
            messages == [
                """
                → POST http://h/a?token=… (1), 34 B of application/json
                    Authorization: <redacted>
                    Content-Type: application/json
                """,
                """
                ← 200 OK, POST http://h/a?token=… (1), 8 B of application/json in no time
                    Content-Type: application/json
                """,
            ]
        )
    }

    @Test func logsBodies() async throws {
        let messages = try await messages(.bodies(upTo: 100)) { _ in Self.json("{\n  \"token\": \"sesame\"\n}") }
        #expect(
            messages == [
                """
                → POST http://h/a?token=… (1), 34 B of application/json
                    Authorization: <redacted>
                    Content-Type: application/json

                    {"name":"Ada","password":"<redacted>"}
                """,
                """
                ← 200 OK, POST http://h/a?token=… (1), 23 B of application/json in no time
                    Content-Type: application/json

                    {
                      "token": "<redacted>"
                    }
                """,
            ]
        )
    }

    @Test(arguments: [(8, "    12345678"), (7, "    1234567…"), (1, "    1…")])
    func cutsLongBodies(limit: Int, shown: String) async throws {
        let messages = try await messages(.bodies(upTo: limit), body: .string("12345678"), type: "text/plain") { _ in
            MockResponse(fields: [.contentType: "text/plain"], body: "12345678")
        }
        #expect(messages.count == 2)
        for message in messages { #expect(message.hasSuffix("\n\n\(shown)")) }
    }

    @Test(arguments: [-1, 0]) func logsNoBodyWithALimitOfZero(limit: Int) async throws {
        let messages = try await messages(.bodies(upTo: limit)) { _ in Self.json("[]") }
        #expect(messages.allSatisfy { $0.hasSuffix("Content-Type: application/json") })
        #expect(monitor(.bodies(upTo: limit)).bodyPrefixBytes == 0)
    }

    @Test func summarizesBodiesThatAreNotText() async throws {
        let stream = RequestBody.replayable { AsyncStream<BodyChunk> { $0.finish() } }
        let picture = Data(repeating: 7, count: 1200)
        let messages = try await messages(.bodies(upTo: 100), body: stream, type: "text/csv") { _ in
            MockResponse(fields: [.contentType: "image/png"], chunks: [BodyChunk(picture)])
        }
        let first = messages.map { $0.prefix { $0 != "\n" } }
        #expect(
            first == [
                "→ POST http://h/a?token=… (1), an unknown number of bytes of text/csv from a stream",
                "← 200 OK, POST http://h/a?token=… (1), 1.2 kB of image/png in no time",
            ]
        )
    }

    @Test func logsNothingIfItIsOffOrItsLevelIsDiscarded() async throws {
        let event = RequestEvent.exchangeBegan(try RequestMessage("http://h/"), cause: .first)
        let request = RequestSummary(id: RequestID(number: 1))
        monitor(.off).request(request, did: event)
        monitor(.bodies(), logLevel: .info, level: .debug).request(request, did: event)
        #expect(log.all.isEmpty)
        monitor(.lines, logLevel: .debug, level: .debug).request(request, did: event)
        #expect(log.all == ["→ GET http://h/ (1)"])
    }

    @Test func asksForTheBytesThatItLogs() {
        #expect(monitor(.off).bodyPrefixBytes == 0)
        #expect(monitor(.lines).bodyPrefixBytes == 0)
        #expect(monitor(.heads).bodyPrefixBytes == 0)
        #expect(monitor(.bodies()).bodyPrefixBytes == 4096)
        #expect(monitor(.bodies(upTo: 5)).bodyPrefixBytes == 5)
        #expect(!monitor(.bodies()).receivesProgress)
    }

    // MARK: Courses

    @Test func logsARejectedResponseWithItsBody() async throws {
        let test = session(.bodies()) { _ in Self.json(#"{"reason":"no"}"#, status: .notFound) }
        let request = test.session.request("http://h/a").validate()
        _ = await request.serializingData().response
        let messages = await logged(2, by: test)
        #expect(
            messages.last == """
                ✗ 404 Not Found, GET http://h/a (1), 15 B of application/json in no time
                    GET http://h/a received an unacceptable response: the status is 404 (Not Found)
                    Content-Type: application/json

                    {"reason":"no"}
                """
        )
    }

    @Test func logsAFailureAndItsRetry() async throws {
        let count = Counter()
        let retrier = Retrier { attempt, _ in attempt.retryCount == 0 ? .retry : .doNotRetry }
        let test = session(.lines, configuring: { $0.interceptor = Interceptor(retriers: [retrier]) }) { _ in
            guard count.next() > 0 else { throw ApusError(.connectFailed, "not yet") }
            return MockResponse(body: "ok")
        }
        _ = try await test.session.get("http://h/")
        let messages = await logged(5, by: test)
        #expect(
            messages == [
                "→ GET http://h/ (1)",
                "✗ no response, GET http://h/ (1) in no time\n    GET http://h/ could not connect: not yet",
                "↻ GET http://h/ (1) is retried after 0 µs: connectFailed", "→ GET http://h/ (1), again",
                "← 200 OK, GET http://h/ (1), 2 B in no time",
            ]
        )
    }

    @Test func logsRedirectsAndFollowedExchanges() async throws {
        let test = session(.lines) { request in
            request.target.path == "/b" ? MockResponse() : MockResponse(status: .found, fields: [.location: "/b"])
        }
        _ = try await test.session.get("http://h/a", options: [RequestLabel("profile")])
        let messages = await logged(4, by: test)
        #expect(
            messages == [
                "→ GET http://h/a (1, profile)",
                "← 302 Found, GET http://h/a (1, profile), redirected to GET http://h/b",
                "→ GET http://h/b (1, profile), after a redirect",
                "← 200 OK, GET http://h/a (1, profile), no body in no time",
            ]
        )
    }

    @Test func logsDownloadsAndStreams() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = session(.bodies()) { _ in MockResponse(fields: [.contentType: "text/plain"], body: "ok") }
            _ = try await test.session.download("http://h/", to: .file(file)).serializingURL().value
            for try await _ in try await test.session.stream("http://h/").body {}
            let messages = await logged(4, by: test)
            let path = file.path(percentEncoded: false)
            let first = messages.map { $0.prefix { $0 != "\n" } }
            #expect(first[1].hasPrefix("← 200 OK, GET http://h/ (1), ") && first[1].contains(", to \(path) in no time"))
            #expect(first[3].hasPrefix("← 200 OK, GET http://h/ (1), "))
            #expect(!messages.contains { $0.hasSuffix("ok") }, "neither body is in memory")
        }
    }

    @Test func logsAFailedSerializer() async throws {
        let test = session(.lines) { _ in Self.json("[") }
        _ = await test.session.request("http://h/").serializingDecodable([Int].self).response
        let messages = await logged(3, by: test)
        #expect(messages.last?.hasPrefix("✗ GET http://h/ (1) could not be serialized\n    GET http://h/ ") == true)
    }

    /// A body of several lines cannot forge messages, and controls no terminal.
    @Test func indentsBodies() async throws {
        let messages = try await messages(.bodies(), body: .string("a\n→ GET\r\n\u{1B}[2J"), type: "text/plain") { _ in
            MockResponse()
        }
        #expect(messages.first?.hasSuffix("\n    a\n    → GET\n    [2J") == true)
    }
}
