internal import Apus
internal import ApusTestServer
internal import ApusTesting
internal import Foundation

/// A session over a mock that answers everything with what it was sent, and the mock.
func mocked(_ status: HTTPResponse.Status = .ok) -> (session: Session, transport: MockTransport) {
    let transport = MockTransport { request in
        let content = try await request.body.read
        return MockResponse(status: status, chunks: content.isEmpty ? [] : [BodyChunk(content)])
    }
    return (Session(transport: transport), transport)
}

/// Lends a server, and a session of whom nothing may be left.
func withServer(
    _ behaviour: TestServer.Behaviour = .endpoints,
    _ work: (TestServer, Session) async throws -> Void
) async throws {
    try await TestServer.with(behaviour: behaviour) { server in
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
