internal import Apus
internal import ApusTestServer
internal import ApusTesting
internal import Foundation

/// Returns a session over a mock transport that echoes the bodies of requests, and the transport.
func mocked(_ status: HTTPResponse.Status = .ok) -> (session: Session, transport: MockTransport) {
    let transport = MockTransport { request in
        let content = try await request.body.read
        return MockResponse(status: status, chunks: content.isEmpty ? [] : [BodyChunk(content)])
    }
    return (Session(transport: transport), transport)
}

/// Runs `work` with a server and a session, and checks that the session leaves nothing behind.
func withServer(
    _ behavior: TestServer.Behavior = .endpoints,
    _ work: (TestServer, Session) async throws -> Void
) async throws {
    try await TestServer.with(behavior: behavior) { server in
        let session = Session()
        do {
            try await work(server, session)
        } catch {
            await session.shutdown(within: .zero)
            throw error
        }
        try await assertNothingLeft(session)
    }
}
