internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct SessionPrepareTests {
    /// A transport that records the calls, and has one connection fewer than wanted.
    private final class PreparingTransport: EventLoopTransport {
        let calls = LockedList<String>()
        let failure: ApusError?

        init(failure: ApusError? = nil) {
            self.failure = failure
        }

        func executor(for origin: Origin) -> (any TaskExecutor)? { nil }

        func prepare(_ origin: Origin, count: Int) async throws(ApusError) -> Int {
            calls.append("\(count) to \(origin)")
            if let failure { throw failure }
            return count - 1
        }

        func send(
            _ request: consuming RequestMessage,
            context: RequestContext,
            record: ExchangeRecord
        ) async throws -> ResponseMessage {
            ResponseMessage(status: .ok, body: .whole(BodyChunk("ok")), record: record)
        }
    }

    @Test func preparesTheOriginOfTheURL() async throws {
        let transport = PreparingTransport()
        let session = Session(transport: transport)
        #expect(try await session.prepare("https://H.example:8443/a?b=c", count: 3) == 2)
        try await session.prepare(RequestMessage("http://h/").target)
        #expect(transport.calls.all == ["3 to https://h.example:8443", "1 to http://h"])
        #expect(session.requestCounts == (0, 0))
    }

    @Test func resolvesTheURLAgainstTheBaseURL() async throws {
        let transport = PreparingTransport()
        var configuration = Session.Configuration()
        configuration.baseURL = "https://api.example/v1"
        let session = Session(configuration: configuration, transport: transport)
        try await session.prepare("users")
        try await session.prepare("http://other.example/")
        #expect(transport.calls.all == ["1 to https://api.example", "1 to http://other.example"])
    }

    @Test func passesThroughARecorder() async throws {
        let transport = PreparingTransport()
        var configuration = Session.Configuration()
        configuration.recorder = HARRecorder()
        let session = Session(configuration: configuration, transport: transport)
        #expect(try await session.prepare("http://h/", count: 5) == 4)
    }

    @Test func doesNothingWithACustomTransport() async throws {
        let test = TestSession()
        #expect(try await test.session.prepare("http://h/", count: 8) == 0)
        #expect(test.requestCount == 0)
        var configuration = Session.Configuration()
        configuration.recorder = HARRecorder()
        let recorded = Session(configuration: configuration, transport: test.transport)
        #expect(try await recorded.prepare("http://h/") == 0)
    }

    @Test(arguments: ["", "h", "ftp://h/", "http://"]) func rejectsAnInvalidURL(url: String) async throws {
        let transport = PreparingTransport()
        let session = Session(transport: transport)
        let error = try #require(await failure { try await session.prepare(url) })
        #expect(error.code == .invalidURL)
        #expect(transport.calls.count == 0)
    }

    @Test func rejectsAnInvalidBaseURL() async throws {
        var configuration = Session.Configuration()
        configuration.baseURL = "h"
        let session = Session(configuration: configuration, transport: PreparingTransport())
        let error = try #require(await failure { try await session.prepare("users") })
        #expect(error.code == .invalidURL)
    }

    @Test func namesTheURLInTheError() async throws {
        let transport = PreparingTransport(failure: ApusError(.connectFailed, "no server is listening"))
        let session = Session(transport: transport)
        let error = try #require(await failure { try await session.prepare("http://h/a?token=sesame") })
        #expect(error.code == .connectFailed)
        #expect(error.url?.hasPrefix("http://h/a") == true)
        #expect(!"\(error)".contains("sesame"))
    }

    @Test func isRejectedAfterAShutdown() async throws {
        let transport = PreparingTransport()
        let session = Session(transport: transport)
        await session.shutdown()
        let error = try #require(await failure { try await session.prepare("http://h/") })
        #expect(error.code == .sessionShutDown)
        #expect(transport.calls.count == 0)
    }
}
