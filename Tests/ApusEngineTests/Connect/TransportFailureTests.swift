internal import ApusCore
internal import ApusPlatform
internal import NIOCore
internal import Testing

@testable internal import ApusEngine

@Suite struct TransportFailureTests {
    private struct Dumped: Error {
        let secret = "/build/file.swift"
    }

    private struct Described: Error, CustomStringConvertible {
        let description = "it rains"
    }

    @Test func namesTheOtherSide() {
        let reset = IOError(errnoCode: ECONNRESET, reason: "read")
        #expect(TransportFailure.describe(reset).hasSuffix(" (the server closed the connection)"))
        #expect(TransportFailure.describe(reset, peer: "the proxy").hasSuffix(" (the proxy closed the connection)"))
    }

    @Test func hasWordsForTheErrorsOfAChannel() {
        let errors: [(ChannelError, String)] = [
            (.eof, "the connection was closed"), (.connectTimeout(.seconds(1)), "no response"),
            (.writeHostUnreachable, "the host is unreachable"),
            (.operationUnsupported, "the connection can't be used in its state"),
        ]
        for (error, words) in errors { #expect(TransportFailure.describe(error) == words) }
    }

    @Test func dumpsNoErrorThatDoesNotDescribeItself() {
        #expect(TransportFailure.describe(Dumped()) == "an unexpected error (Dumped)")
        #expect(TransportFailure.describe(Described()) == "it rains")
        #expect(TransportFailure.describe(ApusError(.sendFailed, "why")) == "why")
    }
}
