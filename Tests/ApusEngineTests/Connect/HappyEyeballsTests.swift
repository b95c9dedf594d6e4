internal import ApusCore
internal import Testing

@testable internal import ApusEngine

@Suite(.timeLimit(.minutes(5))) struct HappyEyeballsTests {
    private static let addresses = [
        IPAddress.v6(0x2001, 0xDB8, 0, 0, 0, 0, 0, 1), IPAddress.v6(0x2001, 0xDB8, 0, 0, 0, 0, 0, 2),
        IPAddress.v4(192, 0, 2, 1),
    ]

    @Test func closesTheLosingAttempts() async throws {
        let message = try RequestMessage("http://example.org/")
        let code = await ExchangeStage.run(message, at: Self.addresses) { stage in
            stage.serve()
            stage.pass(.milliseconds(500))
            let attempts = stage.network.attempts
            #expect(attempts.count == 3)
            #expect(attempts.allSatisfy { !$0.isClosed })
            try attempts[1].accept()
            stage.pass(.zero)
            #expect(attempts.map(\.isClosed) == [true, false, true])
            #expect(attempts[1].isConnected)
            try attempts[1].receive("HTTP/1.1 204 No Content\r\n\r\n")
        }
        #expect(code == nil)
    }
}
