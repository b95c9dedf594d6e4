internal import ApusCore
internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

/// A connection is reused only if the kernel has taken the whole request. A queued piece has not been sent.
@Suite(.timeLimit(.minutes(5))) struct UnsentRequestTests {
    private func post() throws -> RequestMessage {
        let text = String(repeating: "x", count: RequestUpload.sliceBytes + 1)
        return try RequestMessage("http://127.0.0.1/", method: .post, body: .string(text))
    }

    private let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func closesTheConnectionIfTheRequestIsStillQueued() async throws {
        let code = try await ExchangeStage.run(post()) { stage throws in
            stage.peer.delaysWrites = true
            stage.send()
            try stage.receive(response)
            #expect(stage.exchange.isOver)
            #expect(!stage.isConnected)
            stage.peer.completeWrites()
        }
        #expect(code == nil)
    }

    @Test func keepsTheConnectionIfTheRequestWasSent() async throws {
        let code = try await ExchangeStage.run(post()) { stage throws in
            stage.peer.delaysWrites = true
            stage.send()
            stage.peer.completeWrites()
            try stage.receive(response)
            #expect(stage.exchange.isOver)
            #expect(stage.isConnected)
        }
        #expect(code == nil)
    }
}
