internal import ApusCore
internal import Testing

@testable internal import ApusEngine

@Suite(.timeLimit(.minutes(5))) struct HappyEyeballsTests {
    private static let addresses = [
        HostAddress("2001:db8::1", isIPv6: true), HostAddress("2001:db8::2", isIPv6: true),
        HostAddress("192.0.2.1", isIPv6: false),
    ]

    @Test func theAttemptsThatLoseAreClosed() async throws {
        let message = try RequestMessage("http://example.org/")
        let code = await ExchangeStage.play(message, at: Self.addresses) { stage in
            stage.serve()
            stage.pass(.milliseconds(500))
            let calls = stage.switchboard.calls
            #expect(calls.count == 3)
            #expect(calls.allSatisfy { !$0.isClosed })
            try calls[1].answer()
            stage.pass(.zero)
            #expect(calls.map(\.isClosed) == [true, false, true])
            #expect(calls[1].isConnected)
            try calls[1].receive("HTTP/1.1 204 No Content\r\n\r\n")
        }
        #expect(code == nil)
    }
}
