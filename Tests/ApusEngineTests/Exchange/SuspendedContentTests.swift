internal import ApusCore
internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

/// The body of a suspended request waits on its connection, without a time limit.
@Suite(.timeLimit(.minutes(5))) struct SuspendedContentTests {
    private let slice = RequestUpload.sliceBytes

    private func post(_ byteCount: Int, fields: HTTPFields = [:]) throws -> RequestMessage {
        try RequestMessage(
            "http://127.0.0.1/",
            method: .post,
            fields: RequestFields(fields),
            body: .string(String(repeating: "x", count: byteCount))
        )
    }

    @Test func continuesAtTheNextSlice() async throws {
        let code = try await ExchangeStage.run(post(3 * slice)) { stage throws in
            stage.peer.limitsWrites = true
            stage.send()
            stage.takeAPiece()
            #expect(try stage.sentBodyBytes() == slice)
            stage.hold.hold()
            stage.takeAPiece()
            stage.pass(.seconds(3600))
            #expect(try stage.sentBodyBytes() == 0)
            #expect(!stage.exchange.isOver)
            stage.hold.release()
            stage.pass(.zero)
            #expect(try stage.sentBodyBytes() == slice)
            stage.takeAPiece()
            #expect(try stage.sentBodyBytes() == slice)
            try stage.receive("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            #expect(stage.exchange.isOver)
        }
        #expect(code == nil)
    }

    /// The time of the suspension does not count, and the limit begins anew.
    @Test func restartsTheWriteTimeoutWhenItIsResumed() async throws {
        let code = try await ExchangeStage.run(post(3 * slice)) { stage throws in
            stage.peer.limitsWrites = true
            stage.send()
            stage.pass(.seconds(59))
            stage.hold.hold()
            stage.pass(.seconds(3600))
            stage.hold.release()
            stage.pass(.zero)
            stage.expectEnd(after: .seconds(60), by: .writeTimeout)
        }
        #expect(code == .writeTimeout)
    }

    /// Nothing of the request is held back, so the server has to respond in time.
    @Test func hasALimitOnceItsBodyIsSent() async throws {
        try await ExchangeStage.run(post(2 * slice)) { stage throws in
            stage.send()
            #expect(try stage.sentBodyBytes() == 2 * slice)
            stage.hold.hold()
            stage.expectEnd(after: .seconds(60), by: .readTimeout)
        }
    }

    @Test func doesNotBeginWhileItIsSuspended() async throws {
        try await ExchangeStage.run(post(2 * slice)) { stage throws in
            stage.hold.hold()
            stage.send()
            stage.pass(.seconds(3600))
            #expect(try stage.sentBodyBytes() == 0)
            #expect(!stage.exchange.isOver)
            stage.hold.release()
            stage.pass(.zero)
            #expect(try stage.sentBodyBytes() == 2 * slice)
        }
    }

    @Test(arguments: [3, RequestUpload.sliceBytes + 1])
    func doesNotBeginAfterA100(byteCount: Int) async throws {
        try await ExchangeStage.run(post(byteCount, fields: [.expect: "100-continue"])) { stage throws in
            stage.send()
            stage.hold.hold()
            try stage.receive("HTTP/1.1 100 Continue\r\n\r\n")
            stage.pass(.seconds(3600))
            #expect(try stage.sentBodyBytes() == 0)
            #expect(!stage.exchange.isOver)
            stage.hold.release()
            stage.pass(.zero)
            #expect(try stage.sentBodyBytes() == byteCount)
        }
    }

    /// The wait for the 100 has ended, and the body would have begun.
    @Test func dropsABodyThatIsRejectedBeforeItBegins() async throws {
        let code = try await ExchangeStage.run(post(2 * slice, fields: [.expect: "100-continue"])) { stage throws in
            stage.hold.hold()
            stage.send()
            stage.pass(.seconds(3600))
            try stage.receive("HTTP/1.1 413 Content Too Large\r\nContent-Length: 5\r\n\r\nhel")
            stage.hold.release()
            stage.pass(.zero)
            #expect(try stage.sentBodyBytes() == 0)
            try stage.receive("lo")
            #expect(stage.exchange.isOver)
        }
        #expect(code == nil)
    }

    /// The server still expects the body on that connection.
    @Test(arguments: ["200 OK", "413 Content Too Large"])
    func closesItsConnectionAfterAnEarlyResponse(status: String) async throws {
        let code = try await ExchangeStage.run(post(2 * slice)) { stage throws in
            stage.hold.hold()
            stage.send()
            try stage.receive("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
            stage.pass(.zero)
            #expect(stage.exchange.isOver)
            #expect(!stage.isConnected)
            stage.hold.release()
            stage.pass(.zero)
            #expect(try stage.sentBodyBytes() == 0)
        }
        #expect(code == nil)
    }

    @Test func endsAtOnceWhenItIsCancelled() async throws {
        let code = try await ExchangeStage.run(post(3 * slice)) { stage throws in
            stage.peer.limitsWrites = true
            stage.send()
            stage.hold.hold()
            stage.pass(.zero)
            stage.exchange.cancel()
            #expect(stage.exchange.isOver)
            // It does not follow the hold any more.
            stage.hold.release()
            stage.pass(.zero)
            #expect(try stage.sentBodyBytes() == 0)
        }
        #expect(code == .cancelled)
    }

    /// A change that is undone before the connection looks has no effect.
    @Test func ignoresAShortSuspension() async throws {
        try await ExchangeStage.run(post(3 * slice)) { stage throws in
            stage.peer.limitsWrites = true
            stage.send()
            stage.hold.hold()
            stage.hold.release()
            stage.pass(.zero)
            for _ in 0..<3 {
                stage.takeAPiece()
                #expect(try stage.sentBodyBytes() == slice)
            }
        }
    }
}
