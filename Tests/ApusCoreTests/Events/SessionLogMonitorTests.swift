internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Logging
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct SessionLogMonitorTests {
    private func session(
        _ level: Logger.Level,
        _ lines: LockedList<String>,
        responding handler: @escaping MockTransport.Handler = { _ in MockResponse(body: "ok") }
    ) -> TestSession {
        TestSession(
            configuring: {
                $0.logger = Logger(label: "apus.tests") { _ in
                    RecordingLogHandler(logLevel: level) { event in
                        let request = event.metadata?["apus-request-id"].map { "\($0)" } ?? "none"
                        lines.append("\(request) \(event.level): \(event.message)")
                    }
                }
            },
            responding: handler
        )
    }

    /// Returns the log lines of a request once the last of them is written.
    private func lines(_ lines: LockedList<String>, of request: DataRequest, until last: String) async -> [String] {
        let own = {
            lines.all.filter { $0.hasPrefix("\(request.id) ") }.map { String($0.drop { $0 != " " }.dropFirst()) }
        }
        while own().last?.hasPrefix(last) != true { await Task.yield() }
        return own()
    }

    @Test func logsBeginningAndEndAtDebugAndTheRestAtTrace() async throws {
        let notes = LockedList<String>()
        let test = session(.trace, notes)
        let request = test.session.request("http://h/a").validate()
        _ = try await request.serializingString().value
        let lines = await lines(notes, of: request, until: "trace: finished")
        #expect(lines.filter { $0.hasPrefix("debug") }.count == 2)
        #expect(lines.contains("debug: created: GET http://h/a"))
        #expect(lines.contains { $0.hasPrefix("debug: exchange ended: GET http://h/a: 200") })
        #expect(lines.first == "trace: resumed")
        #expect(lines.allSatisfy { $0.hasPrefix("debug: ") || $0.hasPrefix("trace: ") })
    }

    @Test func logsAFailureAtDebug() async throws {
        let notes = LockedList<String>()
        let test = session(.trace, notes) { _ in throw ApusError(.connectFailed, "refused") }
        let request = test.session.request("http://h/a")
        _ = await request.serializingString().result
        let lines = await lines(notes, of: request, until: "trace: finished")
        #expect(lines.contains("debug: failed: GET http://h/a could not connect: refused"))
    }

    @Test func logsTheLabelOfARequest() async throws {
        let labels = LockedList<String>()
        let test = TestSession.configured {
            $0.logger = Logger(label: "apus.tests") { _ in
                RecordingLogHandler(logLevel: .trace) { event in
                    labels.append(event.metadata?["apus-request-label"].map { "\($0)" } ?? "none")
                }
            }
        }
        _ = try await test.session.get("http://h/", options: [RequestLabel("profile")])
        #expect(await eventually { labels.count >= 7 })
        #expect(Set(labels.all.prefix(7)) == ["profile"])
    }

    @Test func logsTheEndOfTheSessionAtDebug() async throws {
        let notes = LockedList<String>()
        let test = session(.debug, notes)
        await test.session.shutdown()
        #expect(await eventually { notes.all.contains("none debug: session ended") })
    }

    @Test func doesNothingBelowTheLogLevel() async throws {
        let notes = LockedList<String>()
        let test = session(.info, notes)
        _ = try await test.session.get("http://h/a")
        try await assertNothingLeft(test.session)
        #expect(notes.count == 0)
        let dispatcher = test.session.core.environment.dispatcher
        #expect(dispatcher?.monitors.count == test.session.configuration.eventMonitors.count)
    }

    @Test func showsNoSecret() async throws {
        let notes = LockedList<String>()
        let test = session(.trace, notes) { request in
            var response = MockResponse(status: request.target.path.hasPrefix("/to") ? .ok : .found, body: "sesame")
            response.fields[.location] = "/to?token=sesame"
            response.fields[.setCookie] = "sesame"
            return response
        }
        let request = test.session.request(
            "http://user:sesame@h/?token=sesame",
            method: .post,
            fields: [.authorization: "sesame", .cookie: "sesame"],
            body: .string("sesame")
        )
        _ = try await request.serializingString().value
        let lines = await lines(notes, of: request, until: "trace: finished")
        #expect(lines.count > 8)
        #expect(!lines.contains { $0.contains("sesame") }, "\(lines)")
    }
}
