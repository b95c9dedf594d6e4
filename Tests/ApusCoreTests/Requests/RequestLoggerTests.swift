internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Logging
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestLoggerTests {
    private func logger(_ level: Logger.Level, _ lines: LockedList<String>) -> Logger {
        var logger = Logger(label: "apus.tests") { _ in
            RecordingLogHandler(logLevel: level) { event in
                let request = event.metadata?["apus-request-id"].map { "\($0)" } ?? "none"
                lines.append("\(request) \(event.message)")
            }
        }
        logger[metadataKey: "request-id"] = "abc"
        return logger
    }

    @Test func logsOneRequest() async throws {
        let lines = LockedList<String>()
        let test = TestSession()
        let request = test.session.request("http://h/", options: [RequestLogger(logger(.trace, lines))])
        _ = try await request.serializingData().value
        _ = try await test.session.request("http://h/").serializingData().value
        #expect(await eventually { lines.all.last?.hasPrefix("\(request.id) finished") == true })
        #expect(lines.all.allSatisfy { $0.hasPrefix("\(request.id) ") })
        try await assertNothingLeft(test.session)
    }

    @Test func isTheLoggerOfTheContext() async throws {
        let lines = LockedList<String>()
        let test = TestSession.configured { configuration in
            configuration.middleware = [
                ClosureMiddleware { request, context, next in
                    context.logger.notice("seen \(context.logger[metadataKey: "request-id"] ?? "nothing")")
                    return try await next(request, context: context)
                }
            ]
        }
        _ = try await test.session.get("http://h/", options: [RequestLogger(logger(.info, lines))])
        _ = try await test.session.get("http://h/")
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.hasSuffix("seen abc") == true)
        try await assertNothingLeft(test.session)
    }
}
