internal import ApusCore
internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

/// A connection serves again only if the kernel has taken the whole request: a piece that is queued has not left.
@Suite(.timeLimit(.minutes(5))) struct UnsentRequestTests {
    private func post() throws -> RequestMessage {
        let content = String(repeating: "x", count: HTTP1Upload.sliceBytes + 1)
        return try RequestMessage("http://127.0.0.1/", method: .post, body: .string(content))
    }

    private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func anAnswerToARequestThatIsStillQueuedEndsTheConnection() async throws {
        let code = try await ExchangeStage.play(post()) { stage throws in
            stage.peer.isFull = true
            stage.send()
            try stage.receive(answer)
            #expect(stage.exchange.isOver)
            #expect(!stage.isConnected)
            stage.peer.takeAll()
        }
        #expect(code == nil)
    }

    @Test func anAnswerToARequestThatHasLeftDoesNot() async throws {
        let code = try await ExchangeStage.play(post()) { stage throws in
            stage.peer.isFull = true
            stage.send()
            stage.peer.takeAll()
            try stage.receive(answer)
            #expect(stage.exchange.isOver)
            #expect(stage.isConnected)
        }
        #expect(code == nil)
    }
}
