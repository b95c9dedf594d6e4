internal import ApusCore
internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

/// The time at which written bytes are flushed.
@Suite(.timeLimit(.minutes(5))) struct FlushTests {
    private let addresses = [IPAddress.v4(192, 0, 2, 1)]

    @Test func sendsARequestAtOnceOnAnIdleLoop() async throws {
        try await ExchangeStage.run(RequestMessage("http://192.0.2.1/now"), at: addresses) { stage in
            stage.serve()
            let attempt = try #require(stage.network.attempts.first)
            try attempt.accept()
            #expect(try attempt.sent().hasPrefix("GET /now HTTP/1.1\r\n"))
        }
    }

    @Test(arguments: [RequestBody.none, .string("short")])
    func sendsShortRequestsAtTheEndOfTheTurn(body: RequestBody) async throws {
        let request = try RequestMessage("http://192.0.2.1/later", method: .put, body: body)
        await ExchangeStage.run(request, at: addresses) { stage in
            stage.serve()
            let attempt = try #require(stage.network.attempts.first)
            // Adds a pending turn to the loop.
            Task(executorPreference: stage.engine.bound.executor) {}
            try attempt.accept()
            #expect(try attempt.sent().isEmpty)
            stage.pass(.zero)
            #expect(try attempt.sent().hasPrefix("PUT /later HTTP/1.1\r\n"))
        }
    }

    @Test func sendsALongBodyBeforeTheEndOfTheTurn() async throws {
        let text = String(repeating: "x", count: RequestUpload.shortBytes + 1)
        let request = try RequestMessage("http://192.0.2.1/long", method: .put, body: .string(text))
        await ExchangeStage.run(request, at: addresses) { stage in
            stage.serve()
            let attempt = try #require(stage.network.attempts.first)
            Task(executorPreference: stage.engine.bound.executor) {}
            try attempt.accept()
            #expect(try attempt.sent().hasSuffix(text))
            stage.pass(.zero)
        }
    }
}
