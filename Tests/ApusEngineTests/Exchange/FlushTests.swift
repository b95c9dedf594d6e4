internal import ApusCore
internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

/// When what a connection has written leaves.
@Suite(.timeLimit(.minutes(5))) struct FlushTests {
    private let addresses = [HostAddress("192.0.2.1", isIPv6: false)]

    @Test func aRequestLeavesAtOnceWhereNothingElseIsToBeDone() async throws {
        try await ExchangeStage.play(RequestMessage("http://192.0.2.1/now"), at: addresses) { stage in
            stage.serve()
            let call = try #require(stage.switchboard.calls.first)
            try call.answer()
            #expect(try call.sent().hasPrefix("GET /now HTTP/1.1\r\n"))
        }
    }

    @Test(arguments: [RequestBody.none, .string("short")])
    func theRequestsOfATurnLeaveAtItsEnd(body: RequestBody) async throws {
        let request = try RequestMessage("http://192.0.2.1/later", method: .put, body: body)
        await ExchangeStage.play(request, at: addresses) { stage in
            stage.serve()
            let call = try #require(stage.switchboard.calls.first)
            // Gives the loop a turn that is still to come.
            Task(executorPreference: stage.home.bound.executor) {}
            try call.answer()
            #expect(try call.sent().isEmpty)
            stage.pass(.zero)
            #expect(try call.sent().hasPrefix("PUT /later HTTP/1.1\r\n"))
        }
    }

    @Test func aLongContentDoesNotWaitForTheEndOfATurn() async throws {
        let content = String(repeating: "x", count: HTTP1Upload.shortBytes + 1)
        let request = try RequestMessage("http://192.0.2.1/long", method: .put, body: .string(content))
        await ExchangeStage.play(request, at: addresses) { stage in
            stage.serve()
            let call = try #require(stage.switchboard.calls.first)
            Task(executorPreference: stage.home.bound.executor) {}
            try call.answer()
            #expect(try call.sent().hasSuffix(content))
            stage.pass(.zero)
        }
    }
}
