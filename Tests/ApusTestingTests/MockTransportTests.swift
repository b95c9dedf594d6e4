internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct MockTransportTests {
    private struct Fault: Error {}

    /// Parity: AF-session-existing
    @Test func respondsFromAClosureAndRecordsRequests() async throws {
        let transport = MockTransport { request in
            MockResponse(status: 201, body: "you asked for \(request.target.path)")
        }
        let session = Session(transport: transport)
        let response = try await session.post("http://h/a?b", body: .string("x"))
        #expect(response.status == 201)
        #expect(try response.string() == "you asked for /a?b")
        #expect(transport.requests.map(\.method) == [.post])
        #expect(transport.requests.first?.body.length == 1)
        try await assertNothingLeft(session)
    }

    @Test func recordsTheTrailersOfRequests() async throws {
        let transport = MockTransport { _ in MockResponse() }
        let session = Session(transport: transport)
        _ = try await session.post("http://h/", body: .string("x").withTrailers { ["X-A": "b"] })
        _ = try await session.post("http://h/", body: .string("x"))
        let trailers = try await transport.requests[0].body.trailers()
        #expect(trailers?.map(\.value) == ["b"])
        #expect(try await transport.requests[1].body.trailers() == nil)
        try await assertNothingLeft(session)
    }

    @Test func respondsInOrderAndFailsWhenNoResponseIsLeft() async throws {
        let session = Session(transport: MockTransport([MockResponse(body: "1"), MockResponse(body: "2")]))
        #expect(try await session.get("http://h/").string() == "1")
        #expect(try await session.get("http://h/").string() == "2")
        let error = await failure { try await session.get("http://h/?secret=x") }
        #expect(error?.code == .connectFailed)
        #expect(error?.description.contains("no response left") == true)
        try await assertNothingLeft(session)
    }

    @Test func throwsTheErrorOfItsClosure() async throws {
        let plain = Session(transport: MockTransport { _ in throw Fault() })
        let error = await failure { try await plain.get("http://h/") }
        #expect(error?.code == .sendFailed)
        #expect(error?.underlying is Fault)
        let own = Session(transport: MockTransport { _ in throw ApusError(.tlsFailed, "no") })
        #expect(await failure { try await own.get("http://h/") }?.code == .tlsFailed)
    }

    @Test func streamsChunksTrailersAndFailures() async throws {
        let session = Session(
            transport: MockTransport { request in
                switch request.target.path {
                case "/trailers": MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")], trailers: [.eTag: "x"])
                case "/failure": MockResponse(chunks: [BodyChunk("a")], failure: ApusError(.connectionClosed, "gone"))
                default: MockResponse(chunks: [BodyChunk("a"), BodyChunk("b"), BodyChunk("c")])
                }
            }
        )
        #expect(try await session.get("http://h/").string() == "abc")
        let response = try await session.get("http://h/trailers")
        #expect(response.trailers?[.eTag] == "x")
        #expect(try response.string() == "ab")
        #expect(await failure { try await session.get("http://h/failure") }?.code == .connectionClosed)
        try await assertNothingLeft(session)
    }

    @Test func sendsInformationalResponsesFirst() async throws {
        var mock = MockResponse()
        mock.informational = [HTTPResponse(status: .init(code: 103))]
        let session = Session(transport: MockTransport([mock]))
        let response = try await session.get("http://h/")
        #expect(response.metrics.exchanges.first?.informational.map(\.status.code) == [103])
    }

    @Test func measuresByTheClockOfTheSession() async throws {
        let clock = ManualClock()
        var configuration = Session.Configuration()
        configuration.time = clock
        let session = Session(
            configuration: configuration,
            transport: MockTransport { _ in
                clock.advance(by: .milliseconds(7))
                return MockResponse(body: "abc")
            }
        )
        let exchange = try #require(try await session.get("http://h/").metrics.exchanges.first)
        #expect(exchange.timeToFirstByte == .milliseconds(7))
        #expect(exchange.responseBodyBytes == 3)
        #expect(exchange.status == .ok)
    }

    /// Parity: AF-session-existing
    @Test func runsBehindTheWholeChain() async throws {
        let transport = MockTransport { request in
            request.target.path == "/"
                ? MockResponse(status: .found, fields: [.location: "/b"]) : MockResponse(body: "b")
        }
        let session = Session(transport: transport)
        #expect(try await session.get("http://h/").string() == "b")
        #expect(transport.requests.map(\.target.path) == ["/", "/b"])
        #expect(transport.requests.last?.fields[.userAgent]?.hasSuffix("Apus/\(ApusVersion.current)") == true)
    }

    @Test func reportsResourcesLeftBehind() async throws {
        let session = Session(transport: MockTransport { _ in MockResponse() })
        session.core.environment.counters.add(2, to: .files)
        do {
            try await assertNothingLeft(session)
            Issue.record("found nothing")
        } catch let left as LeftBehind {
            #expect(left.counts == ["files": 2])
            #expect("\(left)" == "left behind: 2 files")
        }
    }
}
